import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileNames } from '../../src/sessions/downloads/file-names.ts';
import { storeUpload } from '../../src/sessions/downloads/store-upload.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-uploads-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('a session without room leaves the connection that the file comes by open, for the error', async () => {
  const content = new PassThrough();
  content.write(Buffer.alloc(4 * 1024 * 1024));
  const stored = storeUpload(
    { name: 'a.bin', content },
    {
      directory: { downloads: directory, uploads: directory },
      downloads: { names: new FileNames(directory), isFull: async () => true },
    },
  );
  await expect(stored).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
  expect(content.destroyed).toBe(false);
  expect(await readdir(directory)).toEqual([]);
});
