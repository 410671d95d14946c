import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { prepareCompiledCode } from '../../../src/sessions/code/compiled-code.ts';
import { sampleOf } from '../../support/suite/corpus.ts';
import { type CodeSession, startCodeSession } from './code-session.ts';
import { runs } from './installed-languages.ts';

/** Python that runs on the browser of a session. */

describe.skipIf(!runs.python)('Python in a session', () => {
  let session: CodeSession;
  const run = (code: string, timeoutMs = 150_000) => session.run(code, { language: 'python', timeoutMs });
  beforeAll(async () => {
    session = await startCodeSession();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const done = { exitCode: 0, killed: false, truncated: false, stderr: '', stdout: '' };

  test('returns the last expression: a text as it is, anything else as Python writes it', async () => {
    expect(await run('"text"')).toEqual({ ...done, result: 'text' });
    expect(await run('{"a": [1, None]}')).toEqual({ ...done, result: "{'a': [1, None]}" });
    expect(await run('None')).toEqual({ ...done, result: '' });
    expect(await run('x = 1')).toEqual({ ...done, result: '' });
  });

  test('returns bytes as a data URL, so that a screenshot has its type', async () => {
    expect((await run('await page.screenshot()')).result).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
    expect(await run('bytes([2, 3])')).toMatchObject({
      result: 'data:application/octet-stream;base64,AgM=',
    });
    expect(await run('bytes(1000000)')).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/^ValueError: The result has 1000000 bytes/),
    });
  });

  test('says how `return` at the top level has to be written', async () => {
    expect(await run('return 5')).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/'return' outside function\. .*write `value` instead of `return value`/),
    });
  });

  test('uses the page, the context and the browser of the session, with await at the top level', async () => {
    const code = `
await page.set_content('<h1>Hello</h1>')
[await page.text_content('h1'), page in context.pages, browser.contexts[0] == context]`;
    expect(await run(code)).toEqual({ ...done, result: "['Hello', True, True]" });
    expect(await run('page.text_content("h1")')).toMatchObject({ result: 'Hello' });
  });

  test('separates what it prints from its result, and keeps its variables and functions', async () => {
    const code =
      'import sys\nprint("one"); print("two", file=sys.stderr)\ndef twice(n):\n    return 2 * n\n3';
    expect(await run(code)).toEqual({ ...done, stdout: 'one\n', stderr: 'two\n', result: '3' });
    expect(await run('kept = twice(4)')).toMatchObject({ exitCode: 0 });
    expect(await run('async def later():\n    return kept\nawait later()')).toMatchObject({ result: '8' });
  });

  test('shares its tab with the other languages', async () => {
    await session.run("await page.setContent('<title>of JavaScript</title>')");
    expect(await run('await page.title()')).toMatchObject({ result: 'of JavaScript' });
    await run('page = await context.new_page(); await page.set_content("<title>of Python</title>")');
    expect(await session.run('page.title()')).toMatchObject({ result: 'of Python' });
    await session.run('page = context.pages()[0]');
    expect(await run('await page.title()')).toMatchObject({ result: 'of JavaScript' });
    await run('await context.pages[1].bring_to_front()');
    expect(await session.run('page.title()')).toMatchObject({ result: 'of Python' });
    await run('await page.close()');
    expect(await session.run('page.title()')).toMatchObject({ result: 'of JavaScript' });
  });

  test('ends with the code that sys.exit has, whose text is an error', async () => {
    await run('import sys');
    expect(await run('sys.exit(0)')).toEqual({ ...done, result: '' });
    expect(await run('sys.exit(3)')).toEqual({ ...done, result: '', exitCode: 3, error: 'SystemExit: 3' });
    expect(await run('sys.exit("no page")')).toEqual({
      ...done,
      result: '',
      exitCode: 1,
      stderr: 'no page\n',
      error: 'SystemExit: no page',
    });
  });

  test('connects again after it closed its connection', async () => {
    await run('await page.set_content("<title>kept</title>"); await browser.close()');
    expect(await run('await page.title()')).toMatchObject({ result: 'kept' });
  });

  test('reports errors without the files of the program that executes it', async () => {
    const { error, exitCode, stderr } = await run('def broken():\n    return None.x\nbroken()');
    expect({ error, exitCode }).toEqual({
      error: "AttributeError: 'NoneType' object has no attribute 'x'",
      exitCode: 1,
    });
    expect(stderr).toMatch(
      /^Traceback .*\n {2}File "<code>", line 3, in <module>\n {4}broken\(\)\n {2}File "<code>", line 2/,
    );
    const late = await run('await page.click("#none", timeout=10)');
    expect(late.error).toMatch(/^TimeoutError: Page.click: Timeout 10ms exceeded/);
    const wrong = await run('print(');
    expect(wrong.error).toMatch(/^SyntaxError: /);
    for (const text of [stderr, late.stderr, wrong.stderr]) expect(text).not.toMatch(/winnow|ast\.py/);
    expect(await run('raise ValueError')).toMatchObject({ exitCode: 1, error: 'ValueError' });
  });

  test('keeps running after an error in a task of its own', async () => {
    await run(
      'async def fail():\n    raise ValueError("later")\ntask = asyncio.ensure_future(fail())\ntask = None',
    );
    await run('import gc; await asyncio.sleep(0.05); gc.collect()');
    expect(await run('1')).toMatchObject({ result: '1' });
  });

  test.each(
    sampleOf(
      [
        ['loops', 'while True: pass'],
        ['awaits a future that is never done', 'await asyncio.get_running_loop().create_future()'],
        ['ignores signals', 'import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass'],
      ],
      3,
      1,
    ),
  )('is killed at its timeout if it %s, and the page stays', async (_, code) => {
    await run('await page.set_content("<title>before</title>"); lost = 1');
    expect(await run(`print("begun", flush=True)\n${code}`, 5_000)).toMatchObject({
      stdout: 'begun\n',
      result: '',
      exitCode: 137,
      killed: true,
      error:
        'The code took longer than its timeout of 5 s, so it was ended. The page and files in /downloads are kept; variables and files in /tmp of this language are lost.',
    });
    expect(await run('["lost" in globals(), await page.title()]')).toMatchObject({
      result: "[False, 'before']",
    });
  });

  test('is ended if it uses too much memory', async () => {
    expect(await run('all = []\nwhile True: all.append(bytearray(10_000_000))')).toMatchObject({
      exitCode: 137,
      killed: false,
      error: expect.stringMatching(/^memory limit/),
    });
    expect(await run('1')).toMatchObject({ result: '1' });
  });

  test('is cut where it prints or returns more than a megabyte', async () => {
    const flood = await run('print("x" * 30_000_000); "y" * 2_000_000');
    expect(flood).toMatchObject({ exitCode: 0, truncated: true, result: 'y'.repeat(1_000_000) });
    expect(flood.stdout).toBe('x'.repeat(1_000_000));
  });

  test.each(
    sampleOf(
      [
        ['exits', 'exit(5)', { exitCode: 5, killed: false }],
        ['ends its process', 'import os; os._exit(6)', { exitCode: 6, killed: false }],
        ['kills its process', 'import os; os.kill(os.getpid(), 9)', { exitCode: 137, killed: false }],
        ['writes to the channel of its program', 'import os; os.write(3, b"garbage"); 1', { result: '1' }],
        ['closes the channel', 'import os; os.close(3); 1', {}],
        [
          'closes its outputs',
          'import os, sys; sys.stdout.close(); os.close(1); os.close(0); 1',
          { result: '1' },
        ],
        ['forks', 'import os\nfor i in range(40):\n    if os.fork() == 0: os._exit(0)\n1', {}],
        [
          'leaves many processes',
          'import subprocess\nfor i in range(40): subprocess.Popen(["sleep", "60"])\n1',
          { result: '1' },
        ],
        [
          'replaces built-in functions',
          'import json, builtins; json.dumps = None; builtins.repr = None; 1',
          {},
        ],
      ],
      3,
      1,
    ),
  )('that %s harms only itself', async (_, code, expected) => {
    // Only code that makes its program silent takes that long.
    expect(await run(code, 20_000)).toMatchObject(expected);
    await run('import os; os._exit(0)', 20_000);
    expect(await run('await page.evaluate("6 * 7")')).toMatchObject({ result: '42' });
  });
});

test.skipIf(!runs.node)('Python that is not installed is reported, and other languages work', async () => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'winnow-languages-test-'));
  onTestFinished(() => rm(cacheDir, { recursive: true }));
  await chmod(cacheDir, 0o755);
  const session = await startCodeSession({ cacheDir });
  const { confinement } = session.browser;
  await expect(session.run('1', { language: 'python' })).rejects.toMatchObject({
    code: 'LANGUAGE_NOT_AVAILABLE',
    message: expect.stringContaining('winnow setup'),
  });
  await expect(session.run('1', { language: 'bash' })).rejects.toMatchObject({
    code: 'LANGUAGE_NOT_AVAILABLE',
    message: expect.stringContaining('agent-browser is not installed'),
  });
  expect(await session.run('1')).toMatchObject({ result: '1' });
  await session[Symbol.asyncDispose]();
  // The compiled code is written into the directory, also after the session has ended.
  await prepareCompiledCode({ confinement, cacheDir, logger: { warn: () => undefined } });
});
