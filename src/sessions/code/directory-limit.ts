import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { codeOf } from '../../errors.ts';
import { deleteDirectory } from '../../system/child-processes/delete-directory.ts';

/** Maximum number of files and directories by default, because each of them takes disk space too. */
const MAX_ENTRIES = 10_000;

/** A file of a directory, or something else that is no directory. */
interface MeasuredFile {
  /** The directory that was measured. */
  root: string;
  path: string;
  bytes: number;
  /** When it was changed last, in milliseconds since 1970. A program cannot set it. */
  changedAt: number;
}

/** The size of a directory. */
interface Size {
  bytes: number;
  /** The number of files and directories. */
  entries: number;
}

/** Measures directories that programs write to, because no file system bounds them. */
export class DirectoryLimit {
  readonly #paths: readonly string[];
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  #measuring: Promise<boolean> | undefined;
  #nextMeasuring: Promise<boolean> | undefined;

  /** @param paths one or more directories, which are measured together */
  constructor(paths: string | readonly string[], maxBytes: number, maxEntries = MAX_ENTRIES) {
    this.#paths = [paths].flat();
    this.#maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
  }

  /** Whether the directories have more bytes or files than they may. Only one measurement runs at a time. */
  isExceeded(): Promise<boolean> {
    this.#measuring ??= measureDirectories(this.#paths, this.#maxEntries)
      .then((size) => this.#isAbove(size))
      .finally(() => {
        this.#measuring = undefined;
      });
    return this.#measuring;
  }

  /**
   * Whether the directories have more than they may, by a measurement that begins after this call: one that
   * runs may have missed a file while it was renamed. All who ask meanwhile get the same next one.
   */
  isExceededNow(): Promise<boolean> {
    if (!this.#measuring) return this.isExceeded();
    const measure = () => {
      this.#nextMeasuring = undefined;
      return this.isExceeded();
    };
    this.#nextMeasuring ??= this.#measuring.then(measure, measure);
    return this.#nextMeasuring;
  }

  /**
   * Deletes the files that were changed last until the others keep to the limit, and everything if they cannot be
   * found. What writes to the directories must have ended.
   * @returns the names of what was deleted, the newest first
   */
  async deleteExcess(): Promise<string[]> {
    const deleted: string[] = [];
    const files: MeasuredFile[] = [];
    const size = await measureDirectories(this.#paths, Number.POSITIVE_INFINITY, (file) => files.push(file));
    for (const file of files.sort((a, b) => b.changedAt - a.changedAt)) {
      if (!this.#isAbove(size)) return deleted;
      await rm(file.path, { force: true });
      deleted.push(relative(file.root, file.path));
      size.bytes -= file.bytes;
      size.entries--;
    }
    if (!this.#isAbove(size)) return deleted;
    for (const root of this.#paths) {
      const left = await readdir(root);
      for (const name of left) await deleteDirectory(join(root, name));
      deleted.push(...left);
    }
    return deleted;
  }

  #isAbove({ bytes, entries }: Size): boolean {
    return bytes > this.#maxBytes || entries > this.#maxEntries;
  }
}

/**
 * Measures directories. Counting ends above the maximum number of entries, and where a directory cannot be read:
 * that may hold any amount, so it counts as an infinite number.
 */
async function measureDirectories(
  roots: readonly string[],
  maxEntries: number,
  onFile: (file: MeasuredFile) => void = () => undefined,
): Promise<Size> {
  const size = { bytes: 0, entries: 0 };
  const waiting = roots.map((root) => ({ root, path: root }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { root, path } = next;
    const found = await unlessUnreadable(readdir(path, { withFileTypes: true }));
    if (found === 'unreadable') return { ...size, entries: Number.POSITIVE_INFINITY };
    for (const entry of found ?? []) {
      if (++size.entries > maxEntries) return size;
      const file = join(path, entry.name);
      if (entry.isDirectory()) waiting.push({ root, path: file });
      else {
        const stat = await unlessUnreadable(lstat(file));
        if (stat === 'unreadable') return { ...size, entries: Number.POSITIVE_INFINITY };
        if (!stat) continue;
        const bytes = bytesOf(stat);
        size.bytes += bytes;
        onFile({ root, path: file, bytes, changedAt: stat.ctimeMs });
      }
    }
  }
  return size;
}

const BLOCK_BYTES = 512;

/**
 * The length of a file, or the space that it takes on the disk if that is more. A file with holes takes
 * little space here, but is sent with all its zeros, and takes space when it is copied.
 */
const bytesOf = ({ size, blocks }: Stats) => Math.max(size, blocks * BLOCK_BYTES);

/** The codes of what a program has made unreadable, by its rights or by a path that is too long. */
const UNREADABLE_CODES = new Set(['EACCES', 'ENAMETOOLONG']);

/** @returns `undefined` for what the program has deleted meanwhile */
async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | 'unreadable' | undefined> {
  try {
    return await reading;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'ENOENT') return undefined;
    if (UNREADABLE_CODES.has(code)) return 'unreadable';
    throw error;
  }
}
