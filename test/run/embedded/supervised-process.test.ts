import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { openLog, rotateIfLarge } from '../../../src/run/embedded/supervision/log-files.ts';
import { isRunning, type ProcessId } from '../../../src/run/embedded/supervision/process-identity.ts';
import {
  planServiceProcess,
  readableWarning,
} from '../../../src/run/embedded/supervision/service-process.ts';
import {
  type ProcessPlan,
  SupervisedProcess,
} from '../../../src/run/embedded/supervision/supervised-process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'winnow-part-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const parts: SupervisedProcess[] = [];
afterEach(() => {
  for (const part of parts.splice(0)) part.kill();
});

/** A part that runs a shell script and is ready when that says `ready`. */
function plan(script: string, change: Partial<ProcessPlan> = {}): ProcessPlan {
  const log = openLog(dataDir, 'part');
  return {
    name: 'part',
    title: 'the part',
    log,
    launch: () => spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', log.fd] }),
    async ready(child) {
      await once(child.stdout ?? child, 'data');
    },
    readyWithinMs: 150_000,
    stopSignal: 'SIGTERM',
    graceMs: 300,
    ...change,
  };
}

function watched(partPlan: ProcessPlan) {
  const processes: (ProcessId | undefined)[] = [];
  const news: string[] = [];
  const part = new SupervisedProcess(partPlan, {
    onProcess: (child) => processes.push(child),
    onNotice: (text) => news.push(text),
  });
  parts.push(part);
  return { part, processes, news };
}

test('a process that dies is restarted, and both events are reported', async () => {
  const { part, processes, news } = watched(plan('echo ready; exec sleep 60'));
  await part.start();
  const first = processes[0];
  process.kill(first?.pid ?? 0, 'SIGKILL');
  await expect
    .poll(() => news)
    .toEqual(['The part died (SIGKILL); starting it again.', 'The part is up again.']);
  const second = processes.at(-1);
  expect(second && isRunning(second)).toBe(true);
  expect(second?.pid).not.toBe(first?.pid);
  expect(processes).toEqual([first, undefined, second]);

  await part.stop();
  expect(second && isRunning(second)).toBe(false);
  expect(news).toHaveLength(2);
});

test('a process that does not start is an error with the end of its log', async () => {
  const { part, processes } = watched(plan('echo "no more disk" >&2; exit 3'));
  await expect(part.start()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(
      /^The part could not be started: it ended with exit code 3\.\nno more disk\n/,
    ),
  });
  expect(processes.at(-1)).toBeUndefined();
});

test('a program that does not exist is an error that names it', async () => {
  const missing = plan('', { launch: () => spawn('/nowhere/program', { stdio: 'ignore' }) });
  await expect(watched(missing).part.start()).rejects.toThrow('/nowhere/program');
});

test('a process that never becomes ready is killed', async () => {
  const { part, processes } = watched(plan('exec sleep 60', { readyWithinMs: 100 }));
  await expect(part.start()).rejects.toThrow('not ready within 0.1 s');
  expect(processes[0] && isRunning(processes[0])).toBe(false);
});

test('a start that takes longer is waited for while the process says that it lives', async () => {
  const script = 'for i in 1 2 3 4 5 6 7 8; do sleep 0.5; echo alive; done; echo ready; exec sleep 60';
  const slow = plan(script, {
    readyWithinMs: 3_000,
    async ready(child, signal, onAlive) {
      for await (const [text] of on(child.stdout!, 'data', { signal })) {
        if (String(text).includes('ready')) return;
        onAlive?.();
      }
    },
  });
  await expect(watched(slow).part.start()).resolves.toBeUndefined();
});

test('a first start that fails is retried as often as planned', async () => {
  const flag = join(dataDir, 'second-time');
  const script = `[ -e ${flag} ] || { touch ${flag}; exit 1; }; echo ready; exec sleep 60`;
  const { part } = watched(plan(script, { attempts: 2 }));
  await expect(part.start()).resolves.toBeUndefined();
  await part.stop();
});

test('a process that ignores the stop signal is killed after its grace period', async () => {
  const { part, processes } = watched(plan('trap "" TERM; echo ready; while true; do sleep 0.05; done'));
  await part.start();
  await part.stop();
  expect(processes[0] && isRunning(processes[0])).toBe(false);
});

test('a process that is stopped while it waits for a restart is not restarted', async () => {
  const flag = join(dataDir, 'leave');
  const script = `echo ready; while [ ! -e ${flag} ]; do sleep 0.05; done; exit 7`;
  const { part, processes, news } = watched(plan(script));
  await part.start();
  writeFileSync(flag, '');
  await expect.poll(() => news).toContain('The part died (exit code 7); starting it again.');
  await part.stop();
  const count = processes.length;
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(processes).toHaveLength(count);
});

test('warnings are reported as text, other lines only go to the log', () => {
  expect(readableWarning('{"level":40,"time":1,"msg":"connection lost","err":{"message":"reset"}}')).toBe(
    'warning: connection lost: reset',
  );
  expect(readableWarning('{"level":60,"msg":"the end"}')).toBe('error: the end');
  expect(readableWarning('{"level":30,"msg":"fine"}')).toBeUndefined();
  expect(readableWarning('{"level":50,"msg":"cut o')).toBeUndefined();
  expect(readableWarning('Error: plain text')).toBeUndefined();
});

test('the log of an earlier start is kept next to the new one', () => {
  const first = openLog(dataDir, 'aged');
  writeSync(first.fd, 'from the first start\n');
  const second = openLog(dataDir, 'aged');
  writeSync(second.fd, 'one\ntwo\nthree\n');
  expect(second.lastLines(2)).toBe('two\nthree');
  expect(readFileSync(`${second.path}.1`, 'utf8')).toBe('from the first start\n');
});

test('a log that has become large is moved and emptied', () => {
  const log = openLog(dataDir, 'large');
  writeSync(log.fd, 'much text\n');
  rotateIfLarge(log.path, 100);
  expect(log.lastLines(1)).toBe('much text');
  rotateIfLarge(log.path, 5);
  expect(readFileSync(`${log.path}.1`, 'utf8')).toBe('much text\n');
  writeSync(log.fd, 'more\n');
  expect(readFileSync(log.path, 'utf8')).toBe('more\n');
});

test('a large log that cannot be moved is kept, and the supervisor goes on with a warning', async () => {
  const log = openLog(dataDir, 'stuck');
  writeSync(log.fd, 'much text\n');
  mkdirSync(`${log.path}.1`);
  const warned = once(process, 'warning');
  rotateIfLarge(log.path, 5);
  expect(String(await warned)).toContain(`${log.path} is large and could not be emptied: `);
  expect(log.lastLines(1)).toBe('much text');
});

test('a process whose log is on a full disk goes on, and its warnings are still reported', async () => {
  const program = join(dataDir, 'program.mjs');
  writeFileSync(program, `console.error('{"level":50,"msg":"broken"}'); process.send({ ready: true });`);
  const reported: string[] = [];
  const { ready, launch } = planServiceProcess({
    name: 'part',
    title: 'the part',
    entry: relative(join(import.meta.dirname, '../../../src'), program),
    settings: {},
    log: { path: '/dev/full', fd: openSync('/dev/full', 'w'), lastLines: () => '' },
    graceMs: 300,
    onWarning: (text) => reported.push(text),
  });
  const child = launch();
  await ready(child, new AbortController().signal);
  await expect
    .poll(() => reported)
    .toEqual([
      expect.stringMatching(/^part: warning: its log cannot be written: ENOSPC/),
      'part: error: broken',
    ]);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a process is ready when it says so, and alive while it says that it is starting', async () => {
  const program = join(dataDir, 'slow.mjs');
  writeFileSync(
    program,
    'for (const message of [{ starting: true }, { ready: true }]) process.send(message);',
  );
  const { ready, launch } = planServiceProcess({
    name: 'part',
    title: 'the part',
    entry: relative(join(import.meta.dirname, '../../../src'), program),
    settings: {},
    log: openLog(dataDir, 'slow'),
    graceMs: 300,
    onWarning: () => undefined,
  });
  const child = launch();
  const onAlive = vi.fn();
  await ready(child, new AbortController().signal, onAlive);
  expect(onAlive).toHaveBeenCalledOnce();
  child.kill('SIGKILL');
});

test('processes give freed memory back to the system, unless the operator has set otherwise', async () => {
  const program = join(dataDir, 'environment.mjs');
  writeFileSync(
    program,
    `console.error('{"level":40,"msg":"' + process.env.MALLOC_TRIM_THRESHOLD_ + '"}'); process.send({ ready: true });`,
  );
  const thresholdOf = async (settings: Record<string, string>) => {
    let threshold = '';
    const { ready, launch } = planServiceProcess({
      name: 'part',
      title: 'the part',
      entry: relative(join(import.meta.dirname, '../../../src'), program),
      settings,
      log: openLog(dataDir, 'environment'),
      graceMs: 300,
      onWarning: (text) => {
        threshold = text;
      },
    });
    const child = launch();
    await ready(child, new AbortController().signal);
    await expect.poll(() => threshold).not.toBe('');
    child.kill('SIGKILL');
    await once(child, 'exit');
    return threshold;
  };
  expect(await thresholdOf({})).toBe('part: warning: 1048576');
  expect(await thresholdOf({ MALLOC_TRIM_THRESHOLD_: '5' })).toBe('part: warning: 5');
});
