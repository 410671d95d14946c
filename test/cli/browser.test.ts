import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../src/embedded/command.ts';
import { type ModelEndpoint, startModelEndpoint } from '../support/model-endpoint.ts';
import { type Pages, startPages } from '../support/pages.ts';
import { useService } from '../support/use-service.ts';

/** The verbs of `browser` against the shared service, as a user types them. */

const service = useService();
let endpoint: ModelEndpoint;
let pages: Pages;
beforeAll(async () => {
  endpoint = await startModelEndpoint();
  pages = await startPages({ '/': '<title>Number</title><p>Your number is 4711.</p>' });
});
/** A service with a language model, for prompts. */
const modelled = useService(() => ({ WINNOW_LLM_BASE_URL: endpoint.url, WINNOW_LLM_MODEL: 'test-model' }));
afterAll(async () => {
  await endpoint[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});
const entry = path.join(import.meta.dirname, '../../bin/winnow.js');
let workDir: string;
beforeAll(async () => {
  workDir = await mkdtemp(path.join(tmpdir(), 'winnow-cli-'));
});
afterAll(() => rm(workDir, { recursive: true, force: true }));

const winnow = (args: string[]) =>
  runCommand(process.execPath, [entry, 'browser', ...args], {
    cwd: workDir,
    settings: { WINNOW_DATA_DIR: service.dataDir },
    timeoutMs: 150_000,
  });

it('opens, lists and closes a session, and runs files in it with their exit code', async () => {
  const opened = await winnow(['open', '--ttl', '120']);
  expect(opened.stdout).toMatch(/^cdpUrl +ws:\/\//m);
  const [, id = ''] = /^id +(\S+)$/m.exec(opened.stdout) ?? [];
  expect((await winnow(['list'])).stdout).toMatch(new RegExp(`^${id} +active`, 'm'));
  const file = path.join(workDir, 'code.js');
  await writeFile(file, 'console.log("printed"); 6 * 7');
  const ran = await winnow(['run', id, file]);
  expect([ran.exitCode, ran.stdout]).toEqual([0, 'printed\n42\n']);
  await writeFile(file, 'throw new Error("broken")');
  const failed = await winnow(['run', id, file]);
  expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('broken')]);
  expect((await winnow(['run', id, 'none.js'])).exitCode).toBe(2);
  expect((await winnow(['close', id])).stdout).toMatch(
    new RegExp(`^${id} has ended after \\d+ s and cost \\d+ credits`),
  );
  expect((await winnow(['close', id])).exitCode).not.toBe(0);
  expect((await winnow(['close'])).stderr).toContain('`winnow browser close --help` explains');
});

it('lets a language model use a page, and shows its steps and its output', async () => {
  let turns = 0;
  endpoint.reply(() => {
    if (turns++ % 2 === 0) return { calls: [{ name: 'read', input: {} }] };
    return turns < 4 ? { calls: [{ name: 'answer', input: { data: 'It is 4711.' } }] } : { status: 401 };
  });
  const prompt = (page: string) =>
    runCommand(
      process.execPath,
      [entry, 'browser', 'prompt', page, 'What is the number?', '--timeout', '120'],
      {
        cwd: workDir,
        settings: { WINNOW_DATA_DIR: modelled.dataDir },
        timeoutMs: 140_000,
      },
    );
  const first = await prompt(`${pages.url}/`);
  expect([first.exitCode, first.stdout]).toEqual([0, 'It is 4711.\n']);
  expect(first.stderr).toContain('1. read the page\n2. answer result\n');
  const [, scrapeId = ''] = /browser prompt (\S+) …/.exec(first.stderr) ?? [];
  // The steps of a prompt that failed are shown, too.
  const second = await prompt(scrapeId);
  expect([second.exitCode, second.stdout]).toEqual([1, '']);
  expect(second.stderr).toMatch(/1\. read the page\n.*HTTP 401/s);
});

it('starts no service for a session, which would end with it', async () => {
  const { exitCode, stderr } = await runCommand(process.execPath, [entry, 'browser', 'open'], {
    cwd: workDir,
    settings: { WINNOW_DATA_DIR: path.join(workDir, 'none') },
    timeoutMs: 150_000,
  });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('No Winnow runs on the data directory')]);
});
