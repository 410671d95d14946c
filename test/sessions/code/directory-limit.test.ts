import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DirectoryLimit } from '../../../src/sessions/code/directory-limit.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-limit-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('a directory has no more bytes than its limit, and what was there before is accepted', async () => {
  const limit = new DirectoryLimit(directory, 100_000);
  await limit.begin();
  await writeFile(path.join(directory, 'small'), Buffer.alloc(50_000));
  expect(await limit.isExceeded()).toBe(false);
  await writeFile(path.join(directory, 'large'), Buffer.alloc(100_000));
  expect(await limit.isExceeded()).toBe(true);
  await limit.begin();
  expect(await limit.isExceeded()).toBe(false);
});

it('the holes of a file count as if they were filled', async () => {
  const holes = path.join(directory, 'holes');
  await writeFile(holes, '');
  await truncate(holes, 5 * 1024 ** 3);
  expect(await new DirectoryLimit(directory, 100 * 1024 ** 2).isExceeded()).toBe(true);
  await rm(holes);
});

it('a directory that cannot be read counts as full', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root can read every directory');
  const hidden = path.join(directory, 'hidden');
  await mkdir(hidden);
  await chmod(hidden, 0);
  expect(await new DirectoryLimit(directory, 1_000_000).isExceeded()).toBe(true);
  await chmod(hidden, 0o700);
});
