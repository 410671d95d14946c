import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { FileNames, safeFileName } from '../../src/sessions/downloads/file-names.ts';

/** The names of files of a session. */

test.each([
  ['a name', 'invoice.pdf', 'invoice.pdf'],
  ['a path of Linux', '../../etc/passwd', 'passwd'],
  ['a path of Windows', 'C:\\files\\a.txt', 'a.txt'],
  ['letters of any language', 'Grüße 請求書.pdf', 'Grüße 請求書.pdf'],
  ['control characters', 'a\n\0b.txt', 'ab.txt'],
  ['nothing but dots', '..', 'download'],
  ['nothing', '', 'download'],
  ['a long name', `${'é'.repeat(300)}.pdf`, `${'é'.repeat(118)}.pdf`],
  ['a long extension', `a.${'b'.repeat(300)}`, `a.${'b'.repeat(238)}`],
])('%s becomes a name that can be stored', (_name, wanted, stored) => {
  expect(safeFileName(wanted)).toBe(stored);
});

it('each file gets a name of its own, also while others are on their way', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'file-names-'));
  const names = new FileNames(directory);
  await writeFile(join(directory, 'a.txt'), '');
  expect([1, 2, 3].map(() => names.reserve('a.txt'))).toEqual(['a (1).txt', 'a (2).txt', 'a (3).txt']);
  expect([names.reserve('b'), names.reserve('b')]).toEqual(['b', 'b (1)']);
  names.release('b');
  expect(names.reserve('b')).toBe('b');
  await rm(directory, { recursive: true });
});

it('of 10,000 names the last numbers are remembered, and of others looked for again', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'file-names-'));
  const names = new FileNames(directory);
  await writeFile(join(directory, 'a'), '');
  expect([names.reserve('a'), names.reserve('a')]).toEqual(['a (1)', 'a (2)']);
  for (const name of ['a (1)', 'a (2)']) names.release(name);
  expect(names.reserve('a')).toBe('a (3)');
  for (let other = 0; other < 10_000; other++) for (const _ of [1, 2]) names.reserve(`other ${other}`);
  expect(names.reserve('a')).toBe('a (1)');
  await rm(directory, { recursive: true });
});
