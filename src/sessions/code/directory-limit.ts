import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** Maximum number of files and directories, because each of them takes disk space too. */
const MAX_ENTRIES = 10_000;

/** Measures a directory that a program writes to, because no file system bounds it. */
export class DirectoryLimit {
  readonly #path: string;
  readonly #maxBytes: number;
  /** The bytes that the directory may have now: more than the limit where it had more before. */
  #allowedBytes: number;
  #measuring: Promise<boolean> | undefined;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#allowedBytes = maxBytes;
  }

  /** Accepts what is there already, so that a program can run that deletes it. */
  async begin(): Promise<void> {
    this.#allowedBytes = Math.max(this.#maxBytes, (await measureDirectory(this.#path)).bytes);
  }

  /** Whether the directory has more bytes or files than it may. Only one measurement runs at a time. */
  isExceeded(): Promise<boolean> {
    this.#measuring ??= measureDirectory(this.#path)
      .then(({ bytes, entries }) => bytes > this.#allowedBytes || entries > MAX_ENTRIES)
      .finally(() => {
        this.#measuring = undefined;
      });
    return this.#measuring;
  }
}

/** The size of the files in a directory, in bytes on the disk, and their number. Counting ends above the limit. */
async function measureDirectory(root: string): Promise<{ bytes: number; entries: number }> {
  const size = { bytes: 0, entries: 0 };
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = await entriesOf(path);
    // What cannot be measured may be of any size.
    if (!found) return { ...size, entries: MAX_ENTRIES + 1 };
    for (const entry of found) {
      if (++size.entries > MAX_ENTRIES) return size;
      if (entry.isDirectory()) waiting.push(join(path, entry.name));
      else size.bytes += await bytesOf(join(path, entry.name));
    }
  }
  return size;
}

const BLOCK_BYTES = 512;

/** The entries of a directory; `undefined` if the program has made it unreadable. */
async function entriesOf(path: string) {
  try {
    return (await unlessGone(readdir(path, { withFileTypes: true }))) ?? [];
  } catch (error) {
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

async function bytesOf(path: string): Promise<number> {
  return ((await unlessGone(lstat(path)))?.blocks ?? 0) * BLOCK_BYTES;
}

/** The program may delete what is being measured. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
