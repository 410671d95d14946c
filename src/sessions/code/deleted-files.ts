import { readdir, stat } from 'node:fs/promises';
import { codeOf } from '../../errors.ts';

/** File descriptors that are looked at. A program with more of them may have any amount. */
const MAX_DESCRIPTORS = 4_096;
const BLOCK_BYTES = 512;

/**
 * The bytes of the files that processes have open although they have deleted them. Such a file takes disk space, but no
 * directory has it.
 * @param pids the processes; what cannot be read of them counts as nothing
 * @returns infinity if they have too many files open to look at
 */
export async function deletedFileBytes(pids: readonly number[]): Promise<number> {
  const files = new Map<string, number>();
  let looked = 0;
  for (const pid of pids) {
    const directory = `/proc/${pid}/fd`;
    const descriptors = await unlessUnreadable(readdir(directory));
    for (const descriptor of descriptors ?? []) {
      if (++looked > MAX_DESCRIPTORS) return Number.POSITIVE_INFINITY;
      const found = await unlessUnreadable(stat(`${directory}/${descriptor}`));
      if (found?.isFile() && found.nlink === 0)
        files.set(`${found.dev}:${found.ino}`, found.blocks * BLOCK_BYTES);
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * The codes of a process that has ended or has closed the file, of one whose files we may not see where the service does
 * not run as root, and of a service that has no file descriptor left, which is no fault of the process.
 */
const UNREADABLE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EMFILE', 'ENFILE']);

/** @returns `undefined` for what cannot be read */
async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (UNREADABLE.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
