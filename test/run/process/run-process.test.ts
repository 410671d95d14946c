import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { UNCAUGHT_ERROR } from '../../../src/run/process/run-process.ts';

const SOURCES = join(import.meta.dirname, '..', '..', '..', 'src');

/**
 * Runs a process of the service whose work is the given statements, and which stops when they emit `done`.
 * @returns its exit code and what it has logged
 */
async function runService(work: string) {
  const program = `
    import { EventEmitter } from 'node:events';
    import { runProcess } from '${SOURCES}/run/process/run-process.ts';
    import { createLogger } from '${SOURCES}/system/logger.ts';
    const done = () => process.emit('SIGTERM');
    await runProcess('test', async () => ({ logger: createLogger('test', 'info'), stop: async () => undefined }));
    ${work}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [log, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, log };
}

it.each([
  ['a timer', `setInterval(() => { throw new Error('planted'); }, 10).unref(); setTimeout(done, 100);`],
  ['a promise that nobody awaits', `void Promise.reject(new Error('planted')); setTimeout(done, 100);`],
  [
    'a socket without a listener',
    `setTimeout(done, 100); new EventEmitter().emit('error', new Error('planted'));`,
  ],
])('a process of the service goes on after an error of %s, and logs it', async (_what, work) => {
  const { code, log } = await runService(work);
  expect(log).toContain(UNCAUGHT_ERROR);
  expect(log).toContain('planted');
  expect(code).toBe(0);
});

it.skipIf(!existsSync('/dev/full'))(
  'a process of the service goes on while its log cannot be written, and can end',
  async () => {
    const full = openSync('/dev/full', 'w');
    const program = `
    import { createLogger } from '${SOURCES}/system/logger.ts';
    const logger = createLogger('test', 'info');
    for (let line = 0; line < 3; line++) logger.info('a line');
    setTimeout(() => process.stdout.write('alive', () => process.exit(0)), 50);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', full],
    });
    closeSync(full);
    expect(await text(child.stdout!)).toBe('alive');
  },
);
