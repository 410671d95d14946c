import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleOf } from '../../support/suite/corpus.ts';
import { noBubblewrap } from '../../system/sandbox/code-sandbox.ts';
import { type CodeSession, startCodeSession } from './code-session.ts';

/** JavaScript that runs on the browser of a session. */

describe.skipIf(noBubblewrap)('JavaScript in a session', () => {
  let session: CodeSession;
  const run: CodeSession['run'] = (...call) => session.run(...call);
  beforeAll(async () => {
    session = await startCodeSession();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const done = { exitCode: 0, killed: false, truncated: false, stderr: '' };

  test('returns the last expression as text, and objects as JSON', async () => {
    expect(await run('"text"')).toEqual({ ...done, stdout: '', result: 'text' });
    expect(await run('({ a: [1, null] })')).toMatchObject({ result: '{"a":[1,null]}' });
    expect(await run('await Promise.resolve(7)')).toMatchObject({ result: '7' });
    expect(await run('Promise.resolve(8)')).toMatchObject({ result: '8' });
    expect(await run('10n')).toMatchObject({ result: '10' });
    expect(await run('const a = {}; a.a = a; a')).toMatchObject({ result: '<ref *1> { a: [Circular *1] }' });
    expect(await run('new Map([[1, 2]])')).toMatchObject({ result: 'Map(1) { 1 => 2 }' });
    expect(await run('undefined')).toMatchObject({ result: '' });
    expect(await run('null')).toMatchObject({ result: 'null' });
  });

  test('returns bytes as a data URL, so that a screenshot has its type', async () => {
    const { result } = await run('await page.screenshot()');
    expect(result).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
    expect((await run("await page.screenshot({ type: 'jpeg' })")).result).toMatch(
      /^data:image\/jpeg;base64,/,
    );
    expect(await run('new Uint8Array([1, 2, 3]).subarray(1)')).toMatchObject({
      result: 'data:application/octet-stream;base64,AgM=',
    });
    expect(await run('Buffer.alloc(1e6)')).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/has 1000000 bytes, .* Write it to a file in \/downloads/),
    });
  });

  test.each([
    ['return 5', /^SyntaxError: Illegal return statement\. .*write `value` instead of `return value`/],
    ["import fs from 'node:fs'; 1", /outside a module\. .*await import\('node:fs\/promises'\)/],
    ['export default 5', /Unexpected token 'export'\. The code is not a module/],
  ])('says how `%s` has to be written', async (code, error) => {
    const result = await run(code);
    expect(result).toMatchObject({ exitCode: 1, error: expect.stringMatching(error) });
    expect(result.stderr).toContain(result.error);
  });

  test('has a standard input that ends, in each call', async () => {
    const read = "let text = ''; for await (const chunk of process.stdin) text += chunk; [text, 'ended']";
    const wait = "await new Promise((resolve) => process.stdin.resume().on('end', resolve)); 'ended'";
    expect(await run(read)).toMatchObject({ result: '["","ended"]' });
    expect(await run(wait)).toMatchObject({ result: 'ended' });
    expect(await run(wait)).toMatchObject({ result: 'ended' });
    expect(await run("require('node:fs').readFileSync(0, 'utf8')")).toMatchObject({
      exitCode: 0,
      result: '',
    });
  });

  test('uses the page, the context and the browser of the session', async () => {
    const code = `
      await page.setContent('<h1>Hello</h1>');
      [await page.textContent('h1'), context.pages().includes(page), browser.contexts()[0] === context]`;
    expect(await run(code)).toMatchObject({ ...done, result: '["Hello",true,true]' });
    expect(await run("page.textContent('h1')")).toMatchObject({ result: 'Hello' });
  });

  test('separates what it prints from its result', async () => {
    const printed = { ...done, stdout: 'one\n', stderr: 'two\n', result: '3' };
    expect(await run('console.log("one"); console.error("two"); 3')).toEqual(printed);
  });

  test('keeps its variables, constants, functions and classes, which may be declared again', async () => {
    await run('const kept = 1; let changed = 2; function twice(n) { return 2 * n } class Box {}');
    expect(await run('changed = 5; [kept, changed, twice(4), new Box() instanceof Box]')).toMatchObject({
      result: '[1,5,8,true]',
    });
    expect(await run('const kept = 2; kept')).toMatchObject({ result: '2' });
    expect(await run('undeclared = 3')).toMatchObject({ result: '3' });
    expect(await run('undeclared')).toMatchObject({ result: '3' });
  });

  test("has Node's modules and Playwright", async () => {
    const code = `
      const { join } = require('node:path');
      [join('a', 'b'), typeof require('playwright').chromium.connectOverCDP, typeof require('playwright-core').devices, typeof fetch, process.version]`;
    expect(await run(code)).toMatchObject({
      result: JSON.stringify(['a/b', 'function', 'object', 'function', process.version]),
    });
  });

  test('imports modules', async () => {
    const code = `const { basename } = await import('node:path'); basename('/a/b')`;
    expect(await run(code)).toMatchObject({ ...done, result: 'b' });
    expect(await run(`typeof (await import('playwright')).chromium`)).toMatchObject({ result: 'object' });
    expect(await run(`"import(1)" /* import(2) */ + 'import(3)'`)).toMatchObject({
      result: 'import(1)import(3)',
    });
  });

  test('makes a page that it assigns, or brings to the front, the tab of later calls in any language', async () => {
    await run("await page.goto('about:blank')");
    const first = session.tab.targetId;
    await run("page = await context.newPage(); await page.setContent('<title>two</title>')");
    expect(session.tab.targetId).not.toBe(first);
    expect(await run('page.title()')).toMatchObject({ result: 'two' });
    session.tab.targetId = first;
    expect(await run('page.title()')).toMatchObject({ result: '' });
    await run('const other = context.pages().find((each) => each !== page); await other.bringToFront()');
    expect(await run('page.title()')).toMatchObject({ result: 'two' });
    await run('const page = context.pages()[0]');
    expect(session.tab.targetId).toBe(first);
    await run('await context.pages()[1].bringToFront()');
    expect(await run('page.title()')).toMatchObject({ result: 'two' });
    await run('await page.close()');
    expect(session.tab.targetId).toBe(first);
    expect(await run('page.url()')).toMatchObject({ result: 'about:blank' });
  });

  test('opens a new page if it closed the only one', async () => {
    await run('await page.close()');
    expect(await run('page.url()')).toMatchObject({ ...done, result: 'about:blank' });
  });

  test('connects again after it closed its connection', async () => {
    await run('await page.setContent("<title>kept</title>"); await browser.close()');
    expect(await run('page.title()')).toMatchObject({ result: 'kept' });
  });

  test('reports errors without the files of the program that executes it', async () => {
    const { error, stderr, exitCode, killed } = await run('function broken() { null.x }\nbroken()');
    expect({ error, exitCode, killed }).toEqual({
      error: "TypeError: Cannot read properties of null (reading 'x')",
      exitCode: 1,
      killed: false,
    });
    expect(stderr).toBe(`${error}\n    at broken (code.js:1:26)\n    at code.js:2:1\n`);
    const late = await run('await page.click("#none", { timeout: 10 })');
    expect(late.error).toMatch(/^TimeoutError: page.click: Timeout 10ms exceeded/);
    const printed = await run('console.log(new Error("x").stack); console.trace()');
    for (const text of [late.stderr, printed.stdout, printed.stderr])
      expect(text).not.toMatch(/winnow|inspector/);
    expect(await run('throw 5')).toMatchObject({ exitCode: 1, error: 'Uncaught 5', stderr: 'Uncaught 5\n' });
    expect(await run('let 1')).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/^SyntaxError: /),
      stderr: expect.stringMatching(/^SyntaxError: [^\]]*$/),
    });
    expect(await run('Promise.reject(new Error("late"))')).toMatchObject({
      exitCode: 1,
      error: 'Error: late',
    });
  });

  test('keeps running after an error that is thrown later', async () => {
    await run(
      'const survivor = 1; let fail; new Promise((resolve) => { fail = resolve }).then(() => setTimeout(() => { throw new Error("later") })); void Promise.reject("no")',
    );
    const { stderr, result } = await run(
      'fail(); await new Promise((resolve) => setTimeout(resolve, 30)); survivor',
    );
    expect(result).toBe('1');
    expect(stderr).toContain('Error: later\n    at ');
    expect(stderr).not.toContain('winnow');
  });

  test('waits for earlier code as long as it may run itself, and is not executed then', async () => {
    const long = run('await new Promise((done) => setTimeout(done, 3_000)); globalThis.seen', {
      timeoutMs: 20_000,
    });
    await expect(run('globalThis.seen = true', { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'SESSION_FAILED',
    });
    expect(await long).toMatchObject({ result: '', exitCode: 0 });
  });

  test('waits for earlier code', async () => {
    const slow = run(
      'const order = []; await new Promise((resolve) => setTimeout(resolve, 50)); order.push(1)',
    );
    const fast = run('order.push(2); order');
    expect(await fast).toMatchObject({ result: '[1,2]' });
    await slow;
  });

  test.each(
    sampleOf(
      [
        ['loops', 'for (;;);'],
        ['awaits a promise that is never settled', 'await new Promise(() => undefined)'],
        ['ignores signals', "process.on('SIGTERM', () => undefined); for (;;);"],
      ],
      3,
    ),
  )('is killed at its timeout if it %s, and the page stays', async (_, code) => {
    await run('await page.setContent("<title>before</title>"); const lost = 1; console.log("printed")');
    const killed = await run(`console.log('begun'); ${code}`, { timeoutMs: 5_000 });
    expect(killed).toEqual({
      stdout: 'begun\n',
      stderr: '',
      result: '',
      exitCode: 137,
      killed: true,
      truncated: false,
      error:
        'The code took longer than its timeout of 5 s, so it was ended. The page and files in /downloads are kept; variables and files in /tmp of this language are lost.',
    });
    expect(await run('[typeof lost, await page.title()]')).toMatchObject({
      result: '["undefined","before"]',
    });
  });

  test.each(
    sampleOf(
      [
        ['in the heap', 'const all = []; for (;;) all.push(Array(1e6).fill(0).map((_, i) => ({ i })));'],
        ['outside of the heap', 'const all = []; for (;;) all.push(Buffer.alloc(20e6, 1));'],
      ],
      2,
    ),
  )('is ended if it uses too much memory %s', async (_, code) => {
    const ended = await run(code);
    expect(ended).toMatchObject({
      exitCode: 137,
      killed: false,
      error: expect.stringMatching(/^memory limit/),
    });
    expect(ended.stderr).toBe('');
    expect(await run('1')).toMatchObject({ result: '1' });
  });

  test('is cut where it prints or returns more than a megabyte, and loses nothing below that', async () => {
    const flood = await run('console.log("x".repeat(30e6)); console.error("end"); "result"');
    expect(flood).toMatchObject({ exitCode: 0, truncated: true, stderr: 'end\n', result: 'result' });
    expect(flood.stdout).toBe('x'.repeat(1_000_000));
    const cut = await run('"ä".repeat(2e6)');
    expect(cut).toMatchObject({ truncated: true, result: 'ä'.repeat(1_000_000) });
    const lines = await run('for (let i = 0; i < 10_000; i++) console.log(i)');
    expect(lines.stdout).toBe(Array.from({ length: 10_000 }, (_, i) => `${i}\n`).join(''));
    expect(lines.truncated).toBe(false);
    const bytes = await run(
      'process.stdout.write(Buffer.concat([Buffer.alloc(999_999, 97), Buffer.from("ä")]))',
    );
    expect(bytes).toMatchObject({ stdout: 'a'.repeat(999_999), truncated: true });
  });

  test('is ended if it prints without end', async () => {
    const code = 'const chunk = Buffer.alloc(1e6, 97); for (;;) require("fs").writeSync(1, chunk)';
    // A busy machine takes long to print and read 256 MiB.
    expect(await run(code, { timeoutMs: 170_000 })).toMatchObject({
      exitCode: 137,
      killed: false,
      truncated: true,
      error: expect.stringMatching(/^output limit/),
    });
  });

  test('may exit, and its output is complete', async () => {
    const exited = await run('console.log("x".repeat(500_000)); process.exit(5)');
    expect(exited).toMatchObject({
      exitCode: 5,
      killed: false,
      error: expect.stringContaining('exit code 5'),
    });
    expect(exited.stdout).toHaveLength(500_001);
    expect(await run('process.exit()')).toMatchObject({ exitCode: 0, killed: false });
    expect(await run('process.kill(process.pid, "SIGKILL")')).toMatchObject({ exitCode: 137, killed: false });
    expect(await run('2')).toMatchObject({ result: '2' });
  });

  test.each(
    sampleOf(
      [
        ['writes to the channel of its program', 'fs.writeSync(3, "garbage"); 1', { result: '1' }],
        ['forges a result', `fs.writeSync(3, '\\n{"id":9999,"exitCode":0}\\n'); 1`, { result: '1' }],
        ['closes the channel', 'fs.closeSync(3); 1', { exitCode: 1 }],
        ['writes to a closed descriptor', 'fs.writeSync(4, "garbage")', { exitCode: 1 }],
        ['closes its input', 'fs.closeSync(0); process.stdin.destroy(); 1', { result: '1' }],
        ['closes its output', 'fs.closeSync(1); 1', { result: '1' }],
        [
          'replaces built-in functions',
          'JSON.stringify = () => { throw 1 }; Promise.prototype.then = null; 1',
          {},
        ],
        ['freezes everything', 'Object.freeze(globalThis); Object.freeze(Object.prototype); 1', {}],
        [
          'returns what cannot be converted',
          '({ toJSON() { throw 1 }, [Symbol.for("nodejs.util.inspect.custom")]() { throw 2 } })',
          { exitCode: 1 },
        ],
        [
          'throws what cannot be converted',
          'throw { [Symbol.for("nodejs.util.inspect.custom")]() { throw 2 } }',
          { exitCode: 1 },
        ],
      ],
      3,
      2,
    ),
  )('that %s harms only itself', async (_, code, expected) => {
    await run('process.exit()');
    const result = await run(`const fs = require('node:fs'); ${code}`, { timeoutMs: 20_000 });
    expect(result).toMatchObject(expected);
    await run('process.exit()', { timeoutMs: 20_000 });
    expect(await run('page.evaluate(() => 6 * 7)')).toMatchObject({ result: '42' });
  });

  test('can be cancelled while it runs and while it waits', async () => {
    const controller = new AbortController();
    const running = run('for (;;);', { signal: controller.signal });
    const waiting = run('1', { signal: controller.signal });
    const next = run('2');
    setTimeout(() => controller.abort(new Error('not needed')), 200);
    await Promise.all([running, waiting].map((cancelled) => expect(cancelled).rejects.toThrow('not needed')));
    expect(await next).toMatchObject({ result: '2' });
  });
});
