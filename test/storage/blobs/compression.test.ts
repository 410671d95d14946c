import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { compressEach, decompress } from '../../../src/storage/blobs/compression.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('items that the compressor fails at are rejected with its error', async () => {
  const { createZstdCompress } = zlib;
  const announceFourBytes = (options?: zlib.ZstdOptions) =>
    createZstdCompress({ ...options, pledgedSrcSize: 4 });
  vi.spyOn(zlib, 'createZstdCompress').mockImplementation(announceFourBytes);
  syncBuiltinESMExports();
  const [item] = await compressEach([Buffer.from('page')]);
  expect(await decompress(item!)).toEqual(Buffer.from('page'));
  await expect(compressEach([Buffer.from('a longer page'), Buffer.from('page')])).rejects.toThrow('Src size');
});
