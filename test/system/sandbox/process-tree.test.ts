import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { measureTree } from '../../../src/system/sandbox/process-tree.ts';

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

/** Starts a program that ends when its standard input does. @returns its process id */
function start(code: string): number {
  child = spawn(process.execPath, ['--eval', code], { stdio: ['pipe', 'ignore', 'inherit'] });
  return child.pid!;
}

it('a process that a thread has started counts', async () => {
  const pid = start(`
    new (require('node:worker_threads').Worker)(
      "require('node:child_process').spawn('cat', { stdio: ['inherit', 'ignore', 'ignore'] })", { eval: true });
    process.stdin.resume()`);
  await expect.poll(() => measureTree(pid).processes).toBe(2);
});

it('memory that a process has written counts, but not the files of its program', async () => {
  const pid = start('global.held = Buffer.alloc(200 * 2 ** 20, 1); process.stdin.resume()');
  await expect.poll(() => measureTree(pid).writtenBytes).toBeGreaterThan(200 * 2 ** 20);
  const { residentBytes, writtenBytes } = measureTree(pid);
  // Node alone has dozens of megabytes.
  expect(residentBytes - writtenBytes).toBeGreaterThan(10 * 2 ** 20);
});

it('the processor time of a process counts', async () => {
  const pid = start('while (process.cpuUsage().user < 150_000); process.stdin.resume()');
  await expect.poll(() => measureTree(pid).processorMs).toBeGreaterThanOrEqual(100);
});

it('a process that has ended uses nothing', () => {
  // Larger than any process id of Linux.
  expect(measureTree(2 ** 22 + 1)).toMatchObject({ residentBytes: 0, writtenBytes: 0, processorMs: 0 });
});
