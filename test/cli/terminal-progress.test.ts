import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { TerminalProgress } from '../../src/run/embedded/terminal-progress.ts';
import { pollUntil } from '../support/suite/poll.ts';

function terminal(fields: object) {
  const stream = new PassThrough();
  let written = '';
  stream.on('data', (chunk) => {
    written += chunk;
  });
  // Only these members of a terminal are used.
  const tty = Object.assign(stream, fields) as unknown as NodeJS.WriteStream;
  return { tty, written: () => written };
}

it('on a terminal a live line is redrawn, hidden for other output, and erased at the end', async () => {
  const { tty, written } = terminal({ isTTY: true, columns: 40 });
  const progress = new TerminalProgress(tty);
  let count = 0;
  const result = await progress.live(
    (columns) => `${count} of ${columns} ${'x'.repeat(100)}`,
    async (line) => {
      await pollUntil(() => written().includes('0 of 39'));
      line.hide();
      expect(written().endsWith('\r\x1b[2K')).toBe(true);
      count = 1;
      await pollUntil(() => written().includes('1 of 39'));
      progress.note('A note.');
      return 'done';
    },
  );
  expect(result).toBe('done');
  expect(written()).toContain('\r\x1b[2KA note.\n');
  for (const line of written().split('\r\x1b[2K')) expect(line.length).toBeLessThanOrEqual(39);
  expect(written()).not.toMatch(/x\n?$/);
});

it('without a terminal a live line is printed periodically, without escape codes', async () => {
  const { tty, written } = terminal({});
  await new TerminalProgress(tty).live(
    (columns) => `columns: ${columns}`,
    async () => {
      await pollUntil(() => written() !== '');
    },
  );
  expect(written()).toBe('columns: undefined\n');
});
