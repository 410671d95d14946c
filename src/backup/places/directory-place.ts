import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { codeOf, messageOf, ServiceError } from '../../errors.ts';
import { DRAFT, replaceFile } from '../../system/replace-file.ts';
import { type BackupFile, type BackupPlace, PROBE_TEXT } from './backup-place.ts';

const READ_BYTES = 1024 * 1024;

/** A backup in a file that only this user can read. It is written beside the file, which it then replaces. */
export function openDiskFile(path: string): BackupFile {
  return {
    name: path,
    async write(source) {
      try {
        // The draft of another backup stays.
        await replaceFile(path, source, { flags: 'wx', mode: 0o600, flush: true });
      } catch (error) {
        throw explainWriteError(path, error);
      }
    },
    read: () => Readable.from(readFile(path), { highWaterMark: 1 }),
  };
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES });
  } catch (error) {
    throw isSystemError(error) ? refuse(`${path} cannot be read: ${messageOf(error)}.`, error) : error;
  }
}

/** Opens a directory of backups. */
export function openDirectoryPlace(directory: string): BackupPlace {
  const list = async () => {
    const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
    const found = names.map(async (name) => {
      const file = await lstat(join(directory, name)).catch(ignoreMissing);
      return file ? [{ name, writtenAt: file.mtime }] : [];
    });
    return (await Promise.all(found)).flat();
  };
  return {
    file: (name) => openDiskFile(join(directory, name)),
    list,
    remove: (name) => rm(join(directory, name), { force: true }),
    async removeDrafts(isOwn, before) {
      for (const { name, writtenAt } of await list())
        if (name.endsWith(DRAFT) && isOwn(name.slice(0, -DRAFT.length)) && writtenAt < before)
          await rm(join(directory, name), { force: true });
    },
    async requireWritable() {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const probe = join(directory, '.winnow-probe');
        await writeFile(probe, PROBE_TEXT);
        await rm(probe, { force: true });
      } catch (error) {
        throw explainDirectoryError(directory, error);
      }
    },
  };
}

/** A file may be deleted while the directory is listed, or the directory not exist yet. */
function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

const refuse = (message: string, cause: unknown) => new ServiceError('BAD_REQUEST', message, { cause });

const noRoom = (path: string, cause: unknown) =>
  new ServiceError(
    'INSUFFICIENT_STORAGE',
    `There is not enough room for the backup on the disk of ${path}. Free space, or choose another disk.`,
    { cause },
  );

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');

/** Turns the error of a file that cannot be written into a sentence; that of what writes to it is returned unchanged. */
function explainWriteError(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  if (isFull(error)) return noRoom(path, error);
  if (codeOf(error) === 'EEXIST')
    return refuse(
      `${path}${DRAFT} exists: another backup writes it, or was killed. Delete it if no backup runs.`,
      error,
    );
  return refuse(`${path} cannot be written: ${messageOf(error)}.`, error);
}

function explainDirectoryError(directory: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  if (isFull(error)) return noRoom(directory, error);
  if (['EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? ''))
    return refuse(
      `${directory} is a file or lies below one, and has to be a directory. Name another one.`,
      error,
    );
  return refuse(
    `${directory} cannot be written by this user: ${messageOf(error)}. Change its permissions, or name another directory.`,
    error,
  );
}
