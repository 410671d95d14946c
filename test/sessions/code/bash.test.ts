import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleOf } from '../../support/suite/corpus.ts';
import { type CodeSession, startCodeSession } from './code-session.ts';
import { runs } from './installed-languages.ts';

/** Bash that runs on the browser of a session. */

describe.skipIf(!runs.bash)('Bash in a session', () => {
  let session: CodeSession;
  const run = (code: string, timeoutMs = 150_000) => session.run(code, { language: 'bash', timeoutMs });
  beforeAll(async () => {
    session = await startCodeSession();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test('returns what it prints', async () => {
    expect(await run('echo one; echo two >&2; printf "a\\nb" | grep -c .')).toEqual({
      stdout: 'one\n2\n',
      result: 'one\n2\n',
      stderr: 'two\n',
      exitCode: 0,
      killed: false,
      truncated: false,
    });
  });

  test('returns the exit code', async () => {
    expect(await run('exit 3')).toMatchObject({
      exitCode: 3,
      killed: false,
      error: 'bash exited with code 3.',
    });
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: 137, killed: false });
    expect(await run('no-such-program')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('command not found'),
    });
  });

  test('drives the page with agent-browser, whose references last', async () => {
    const page = 'data:text/html,<title>one</title><button onclick=document.title=2>Go</button>';
    expect(await run(`agent-browser open '${page}'`)).toMatchObject({ exitCode: 0 });
    expect((await run('agent-browser snapshot -i')).result).toContain('button "Go" [ref=e1]');
    expect(await run('agent-browser click @e1 && agent-browser get title')).toMatchObject({
      result: expect.stringMatching(/\n2\n$/),
    });
    expect(await run('agent-browser click @e99')).toMatchObject({ exitCode: 1 });
  });

  test('shares its tab with the other languages', async () => {
    await session.run(
      "page = await context.newPage(); await page.setContent('<title>of JavaScript</title>')",
    );
    const [first, second] = [await session.run('context.pages().length'), session.tab.targetId];
    expect(await run('agent-browser get title')).toMatchObject({ result: 'of JavaScript\n' });
    await run("agent-browser tab new 'data:text/html,<title>of bash</title>'");
    expect(session.tab.targetId).not.toBe(second);
    expect(await session.run('[await page.title(), context.pages().length]')).toMatchObject({
      result: JSON.stringify(['of bash', Number(first.result) + 1]),
    });
    await run('agent-browser tab close');
    expect(await session.run('page.isClosed()')).toMatchObject({ result: 'false' });
  });

  test('keeps its files, and shares /downloads with the other languages', async () => {
    await run('echo kept > /tmp/file; echo shared > /downloads/file');
    expect(await run('cat /tmp/file')).toMatchObject({ result: 'kept\n' });
    const read = "require('node:fs').readFileSync('/downloads/file', 'utf8')";
    expect(await session.run(read)).toMatchObject({ result: 'shared\n' });
  });

  test('is killed at its timeout with what it started, and the page stays', async () => {
    await session.run('await page.setContent("<title>before</title>")');
    // The next code finds its tab chosen, so that its time begins with its first command.
    expect(await run('agent-browser get title')).toMatchObject({ result: 'before\n' });
    expect(await run('echo begun; (trap "" TERM; sleep 100) & sleep 100', 5_000)).toMatchObject({
      stdout: 'begun\n',
      result: 'begun\n',
      exitCode: 137,
      killed: true,
    });
    expect(await run('agent-browser get title')).toMatchObject({ result: 'before\n' });
  });

  test.each(
    sampleOf(
      [
        ['leaves a process that holds its output', 'sleep 60 & echo done', { result: 'done\n' }],
        ['prints too much', 'yes | head -c 30000000', { exitCode: 0, truncated: true }],
        ['is a fork bomb', 'bomb() { bomb | bomb & }; bomb; sleep 60', { exitCode: 137 }, 5_000],
        ['takes all memory', 'tail /dev/zero; sleep 200', { exitCode: 137, killed: false }],
        ['writes to the channel', 'echo garbage >&3; echo garbage >&4', {}],
        ['kills everything', 'kill -9 -1; sleep 60', {}],
      ],
      3,
      2,
    ),
  )('that %s harms only itself', async (_, code, expected, timeoutMs?: number) => {
    expect(await run(code, timeoutMs)).toMatchObject(expected);
    expect(await run('agent-browser get title')).toMatchObject({ exitCode: 0 });
  });
});
