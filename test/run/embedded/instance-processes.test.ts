import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InstanceProcesses } from '../../../src/run/embedded/supervision/instance-processes.ts';
import { openLog } from '../../../src/run/embedded/supervision/log-files.ts';
import { isRunning, type ProcessId } from '../../../src/run/embedded/supervision/process-identity.ts';
import {
  type DataDirectoryLock,
  lockDataDirectory,
  readRunFile,
} from '../../../src/run/embedded/supervision/run-file.ts';
import type { ProcessPlan } from '../../../src/run/embedded/supervision/supervised-process.ts';

let dataDir: string;
let lock: DataDirectoryLock;
let processes: InstanceProcesses;
let notes: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'winnow-instance-'));
  lock = lockDataDirectory(dataDir)!;
  notes = [];
  processes = new InstanceProcesses(lock, {
    note: (text) => notes.push(text),
    step: (_name, work) => work({ detail: () => undefined }),
  });
});
afterEach(() => {
  processes.kill();
  for (const path of [dataDir, `${dataDir}-renamed`]) rmSync(path, { recursive: true, force: true });
});

/** Starts processes of these names. @returns what the lock has recorded of them */
async function start(...names: string[]): Promise<ProcessId[]> {
  for (const name of names) await processes.start(plan(name), new AbortController().signal);
  return Object.values(readRunFile(dataDir)?.children ?? {});
}

function plan(name: string): ProcessPlan {
  const log = openLog(dataDir, name);
  return {
    name,
    title: `the ${name}`,
    log,
    launch: () =>
      spawn('sh', ['-c', 'echo ready; exec sleep 60'], { detached: true, stdio: ['ignore', 'pipe', log.fd] }),
    ready: async (child) => void (await once(child.stdout ?? child, 'data')),
    readyWithinMs: 150_000,
    stopSignal: 'SIGTERM',
    graceMs: 5000,
  };
}

test('all processes are stopped, and the data directory is free for the next start', async () => {
  const started = await start('postgres', 'api');
  expect(started.map(isRunning)).toEqual([true, true]);
  await processes.stop();
  expect(started.map(isRunning)).toEqual([false, false]);
  expect(notes).toEqual([]);
  expect(readRunFile(dataDir)).toBeUndefined();
  lockDataDirectory(dataDir)!.release();
});

test('all processes are stopped although the data directory has been deleted, and the failure is reported', async () => {
  const started = await start('api', 'worker', 'temporal', 'postgres');
  expect(started).toHaveLength(4);
  rmSync(dataDir, { recursive: true });
  await processes.stop();
  expect(started.filter(isRunning)).toEqual([]);
  expect(notes).toEqual([
    `The record of running processes could not be updated: ${dataDir} is no longer the data directory of this process: it was deleted, renamed or replaced.`,
  ]);
});

test('an instance whose data directory was replaced leaves the files of the new one alone', async () => {
  const started = await start('postgres');
  renameSync(dataDir, `${dataDir}-renamed`);
  const next = lockDataDirectory(dataDir)!;
  await processes.stop();
  expect(started.filter(isRunning)).toEqual([]);
  expect(readRunFile(dataDir)).toMatchObject({ pid: process.pid });
  next.release();
});

test('a process that cannot be recorded runs and is stopped all the same', async () => {
  // The run file is replaced by renaming a new one, which a directory prevents.
  rmSync(join(dataDir, 'run.json'));
  mkdirSync(join(dataDir, 'run.json'));
  writeFileSync(join(dataDir, 'run.json', 'file'), '');
  let child: ProcessId | undefined;
  const postgres = plan('postgres');
  await processes.start(
    {
      ...postgres,
      launch() {
        const launched = postgres.launch();
        child = { pid: launched.pid!, identity: '' };
        return launched;
      },
    },
    new AbortController().signal,
  );
  expect(notes).toEqual([expect.stringContaining('The record of running processes could not be updated: ')]);
  expect(process.kill(child!.pid, 0)).toBe(true);
  await processes.stop();
  expect(() => process.kill(child!.pid, 0)).toThrow('ESRCH');
});

test('a crash of the supervisor leaves no process running', async () => {
  const started = await start('temporal', 'postgres');
  // What Node emits before an exception that nobody catches ends the process.
  const supervisor: NodeJS.EventEmitter = process;
  supervisor.emit('uncaughtExceptionMonitor', new Error('a defect'), 'uncaughtException');
  await expect.poll(() => started.filter(isRunning)).toEqual([]);
  await processes.stop();
});
