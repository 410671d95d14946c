import { promisify } from 'node:util';
import {
  constants,
  createZstdCompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';

/**
 * Options for speed. The checksum tells bytes that a power failure has damaged from those that were stored.
 */
export const FAST = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};
const compressLarge = promisify(zstdCompress);
const decompressLarge = promisify(zstdDecompress);
/** Up to this size, compressing in this thread is faster than handing the bytes to another thread. */
const SMALL_BYTES = 256 * 1024;
/** Size of the buffers that a compressor fills. Most pages fit into one when they are compressed. */
const CHUNK_BYTES = 64 * 1024;

/** Compresses one item. */
export const compress = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length <= SMALL_BYTES ? zstdCompressSync(bytes, FAST) : compressLarge(bytes, FAST);

/** Decompresses an item. It is rejected for bytes that are damaged. */
export const decompress = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length <= SMALL_BYTES / 8 ? zstdDecompressSync(bytes) : decompressLarge(bytes);

/**
 * Compresses several items, each by itself. The work is done in another thread, and takes no more CPU time
 * there than in this one, because one compressor serves all items.
 * @returns the compressed items, in order
 */
export async function compressEach(items: readonly Uint8Array[]): Promise<Buffer[]> {
  // The flush makes each write a frame of its own, which is complete when the write has ended.
  const compressor = createZstdCompress({ ...FAST, flush: constants.ZSTD_e_end, chunkSize: CHUNK_BYTES });
  const write = promisify((bytes: Uint8Array, done: (error?: Error | null) => void) =>
    compressor.write(bytes, done),
  );
  // When zlib fails, the write never calls back; only this event tells.
  const { promise: failed, reject } = Promise.withResolvers<never>();
  compressor.on('error', reject);
  let chunks: Buffer[] = [];
  compressor.on('data', (chunk: Buffer) => chunks.push(chunk));
  try {
    const compressed: Buffer[] = [];
    for (const item of items) {
      await Promise.race([write(item), failed]);
      compressed.push(Buffer.concat(chunks));
      chunks = [];
    }
    return compressed;
  } finally {
    compressor.destroy();
  }
}
