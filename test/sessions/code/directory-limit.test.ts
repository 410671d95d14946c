import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DirectoryLimit } from '../../../src/sessions/code/directory-limit.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-limit-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('a directory has no more bytes than its limit: the files that were written last are deleted', async () => {
  const limit = new DirectoryLimit(directory, 100_000);
  await writeFile(path.join(directory, 'first'), Buffer.alloc(50_000));
  expect(await limit.isExceeded()).toBe(false);
  expect(await limit.deleteExcess()).toEqual([]);
  await mkdir(path.join(directory, 'inside'));
  await writeFile(path.join(directory, 'inside', 'second'), Buffer.alloc(40_000));
  // A program can set the time of a change, but not that of its status.
  await utimes(path.join(directory, 'inside', 'second'), 0, 0);
  await writeFile(path.join(directory, 'third'), Buffer.alloc(100_000));
  await utimes(path.join(directory, 'third'), 0, 0);
  expect(await limit.isExceeded()).toBe(true);
  expect(await limit.deleteExcess()).toEqual(['third']);
  expect(await limit.isExceeded()).toBe(false);
  expect((await readdir(directory)).sort()).toEqual(['first', 'inside']);
});

it('everything is deleted where there are too many directories', async () => {
  const many = await mkdtemp(path.join(directory, 'many-'));
  const limit = new DirectoryLimit(many, 100_000, 3);
  for (const name of ['1', '2', '3', '4']) await mkdir(path.join(many, name));
  expect(await limit.isExceeded()).toBe(true);
  expect((await limit.deleteExcess()).sort()).toEqual(['1', '2', '3', '4']);
  expect(await readdir(many)).toEqual([]);
});

it('a file below directories whose path is too long to read counts, and is deleted', async () => {
  const deep = await mkdtemp(path.join(directory, 'deep-'));
  const limit = new DirectoryLimit(deep, 100_000);
  const name = 'd'.repeat(200);
  execFileSync(
    '/bin/bash',
    ['-ec', `for i in $(seq 30); do mkdir ${name}; cd ${name}; done; head -c 1000000 /dev/zero >hidden`],
    { cwd: deep },
  );
  expect(await limit.isExceeded()).toBe(true);
  expect(await limit.deleteExcess()).toEqual([name]);
  expect(await readdir(deep)).toEqual([]);
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

it('all who ask while a directory is measured share a measurement that begins after it', async () => {
  const place = await mkdtemp(path.join(directory, 'shared-'));
  const limit = new DirectoryLimit(place, 1_000);
  const first = limit.isExceeded();
  const next = [limit.isExceededNow(), limit.isExceededNow()];
  expect(next[0]).toBe(next[1]);
  expect(next[0]).not.toBe(first);
  await first;
  expect(await Promise.all(next)).toEqual([false, false]);
  await writeFile(path.join(place, 'large'), Buffer.alloc(2_000));
  expect(await limit.isExceededNow()).toBe(true);
  await rm(place, { recursive: true });
});
