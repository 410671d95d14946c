import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** Maximum number of files and directories by default, because each of them takes disk space too. */
const MAX_ENTRIES = 10_000;

/** Measures a directory that a program writes to, because no file system bounds it. */
export class DirectoryLimit {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  /** The bytes that the directory may have now: more than the limit where it had more before. */
  #allowedBytes: number;
  /** The bytes that it had at the last measurement. */
  #bytes = Number.POSITIVE_INFINITY;
  #measuring: Promise<boolean> | undefined;

  constructor(path: string, maxBytes: number, maxEntries = MAX_ENTRIES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
    this.#allowedBytes = maxBytes;
  }

  /** Accepts what is there already, so that a program can run that deletes it. */
  async begin(): Promise<void> {
    // A measurement takes a part of a short call, and one that was below the limit is recent enough to do
    // without.
    if (this.#bytes > this.#maxBytes) await this.#measure();
    this.#allowedBytes = Math.max(this.#maxBytes, this.#bytes);
  }

  /** Whether the directory has more bytes or files than it may. Only one measurement runs at a time. */
  isExceeded(): Promise<boolean> {
    this.#measuring ??= this.#measure()
      .then((entries) => this.#bytes > this.#allowedBytes || entries > this.#maxEntries)
      .finally(() => {
        this.#measuring = undefined;
      });
    return this.#measuring;
  }

  /** @returns the number of files and directories */
  async #measure(): Promise<number> {
    const { bytes, entries } = await measureDirectory(this.#path, this.#maxEntries);
    this.#bytes = bytes;
    return entries;
  }
}

/** The size of the files in a directory in bytes, and their number. Counting ends above the limit. */
async function measureDirectory(
  root: string,
  maxEntries: number,
): Promise<{ bytes: number; entries: number }> {
  const size = { bytes: 0, entries: 0 };
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = await entriesOf(path);
    // A directory that cannot be read may hold any amount, so it counts as above the limit.
    if (!found) return { ...size, entries: maxEntries + 1 };
    for (const entry of found) {
      if (++size.entries > maxEntries) return size;
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

/**
 * The length of a file, or the space that it takes on the disk if that is more. A file with holes takes
 * little space here, but is sent with all its zeros, and takes space when it is copied.
 */
async function bytesOf(path: string): Promise<number> {
  const found = await unlessGone(lstat(path));
  return found ? Math.max(found.size, found.blocks * BLOCK_BYTES) : 0;
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
