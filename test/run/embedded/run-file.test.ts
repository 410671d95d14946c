import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  currentProcess,
  identityOf,
  isRunning,
} from '../../../src/run/embedded/supervision/process-identity.ts';
import {
  findRunningInstance,
  lockDataDirectory,
  readRunFile,
} from '../../../src/run/embedded/supervision/run-file.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'winnow-run-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** Another process that takes the directory, says whether it got it, and stays. */
function otherStart() {
  const module = JSON.stringify(
    join(import.meta.dirname, '../../../src/run/embedded/supervision/run-file.ts'),
  );
  const script = `
    const { lockDataDirectory } = await import(${module});
    const run = lockDataDirectory(process.argv[1]);
    run?.setChild('worker', { pid: 4711, identity: 'long ago' });
    console.log(run ? 'taken' : 'refused');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = once(child.stdout, 'data').then(([chunk]) => String(chunk).trim());
  const end = () => {
    child.kill('SIGKILL');
    return once(child, 'exit');
  };
  return { child, said, end };
}

test('one start holds the data directory until it releases it', () => {
  const first = lockDataDirectory(dataDir);
  expect(first).toBeDefined();
  expect(lockDataDirectory(dataDir)).toBeUndefined();
  first?.release();
  const second = lockDataDirectory(dataDir);
  expect(second).toBeDefined();
  second?.release();
  expect(readRunFile(dataDir)).toBeUndefined();
});

test('of several processes that start at once, exactly one gets the data directory', async () => {
  const starts = [otherStart(), otherStart(), otherStart()];
  const answers = await Promise.all(starts.map(({ said }) => said));
  await Promise.all(starts.map(({ end }) => end()));
  expect(answers.toSorted()).toEqual(['refused', 'refused', 'taken']);
});

test('a killed start leaves its run file and does not block the next start', async () => {
  const killed = otherStart();
  expect(await killed.said).toBe('taken');
  expect(findRunningInstance(dataDir)?.pid).toBe(killed.child.pid);
  await killed.end();
  expect(findRunningInstance(dataDir)).toBeUndefined();

  const next = lockDataDirectory(dataDir);
  expect(next?.previousChildren).toEqual({ worker: { pid: 4711, identity: 'long ago' } });
  // Killed again before it could end them, it would still know them.
  expect(readRunFile(dataDir)?.children).toHaveProperty('worker');
  next?.setChild('worker', undefined);
  expect(readRunFile(dataDir)?.children).toEqual({});
  next?.release();
});

test('other processes can read the URLs and child processes of a running instance', () => {
  const run = lockDataDirectory(dataDir);
  run?.setChild('api', currentProcess());
  run?.setUrls({ api: 'http://127.0.0.1:3002' });
  const seen = findRunningInstance(dataDir);
  expect(seen).toMatchObject({
    pid: process.pid,
    urls: { api: 'http://127.0.0.1:3002' },
    children: { api: currentProcess() },
  });
  run?.release();
});

test('a reused pid is not taken for the running instance', () => {
  const run = lockDataDirectory(dataDir);
  const path = join(dataDir, 'run.json');
  writeFileSync(
    path,
    JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), identity: 'an earlier boot' }),
  );
  expect(findRunningInstance(dataDir)).toBeUndefined();
  run?.release();
});

test('a truncated run file counts as missing', () => {
  writeFileSync(join(dataDir, 'run.json'), '{"pid": 12');
  expect(readRunFile(dataDir)).toBeUndefined();
  const run = lockDataDirectory(dataDir);
  expect(run?.previousChildren).toEqual({});
  run?.release();
});

test('the identity of a process is unique and disappears when it exits', async () => {
  const child = spawn('sleep', ['30']);
  const pid = child.pid ?? 0;
  const identity = identityOf(pid) ?? '';
  expect(identity).not.toBe('');
  expect(identity).not.toBe(identityOf(process.pid));
  expect(isRunning({ pid, identity })).toBe(true);
  expect(isRunning({ pid, identity: 'another' })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(identityOf(pid)).toBeUndefined();
});
