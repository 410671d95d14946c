import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { stopOrphans, stopProcess } from '../../../src/run/embedded/supervision/orphan-processes.ts';
import {
  identityOf,
  isRunning,
  type ProcessId,
} from '../../../src/run/embedded/supervision/process-identity.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(program: string, ...args: string[]): ProcessId {
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const pid = child.pid ?? 0;
  return { pid, identity: identityOf(pid) ?? '' };
}

test('recorded processes are stopped, but not another process that reused a pid', async () => {
  const orphan = start('sleep', '60');
  const stranger = start('sleep', '60');
  const ended = await stopOrphans(
    { worker: orphan, api: { pid: stranger.pid, identity: 'an earlier process' } },
    {},
  );
  expect(ended).toEqual(['worker']);
  expect(isRunning(orphan)).toBe(false);
  expect(isRunning(stranger)).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'an unrecorded process is found by program and argument',
  async () => {
    // No other run of the tests has processes with this argument.
    const argument = `61.${process.pid}`;
    const orphan = start('sleep', argument);
    const otherArgument = start('sleep', `62.${process.pid}`);
    const otherProgram = start('tail', '-f', '/dev/null', '--pid', String(process.pid), '-s', argument);
    const ended = await stopOrphans({}, { temporal: { program: 'sleep', argument } });
    expect(ended).toEqual(['temporal']);
    expect([orphan, otherArgument, otherProgram].map(isRunning)).toEqual([false, true, true]);
  },
);

test('no process is stopped when none was left running', async () => {
  expect(await stopOrphans({ worker: { pid: 2 ** 22 + 1, identity: 'x' } }, {})).toEqual([]);
});

test('a process that ignores the stop signal is killed with its children', async () => {
  const stubborn = start('sh', '-c', 'trap "" TERM; sleep 60 & echo $!; while true; do sleep 0.05; done');
  const [line] = await once(children[0]?.stdout ?? process.stdin, 'data');
  const childPid = Number(String(line));
  const child = { pid: childPid, identity: identityOf(childPid) ?? '' };
  expect(isRunning(child)).toBe(true);
  await stopProcess(stubborn, 'SIGTERM', 200);
  expect(isRunning(stubborn)).toBe(false);
  await expect.poll(() => isRunning(child)).toBe(false);
});
