import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../src/run/embedded/command.ts';
import { useService } from '../support/service/use-service.ts';

/**
 * The verbs of `browser` against the shared service, as a user types them. `test/api/interact-prompt.test.ts`
 * has `prompt`.
 */

const service = useService();
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

it('the command `browser` opens, lists and closes a session, and runs files in it with their exit code', async () => {
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
  expect((await winnow(['close'])).stderr).toContain('browser close --help` explains');
});

it('the command `browser` starts no service for a session, which would end with it', async () => {
  const { exitCode, stderr } = await runCommand(process.execPath, [entry, 'browser', 'open'], {
    cwd: workDir,
    settings: { WINNOW_DATA_DIR: path.join(workDir, 'none') },
    timeoutMs: 150_000,
  });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('No Winnow runs on the data directory')]);
});
