import type { ReadStream } from 'node:fs';
import { constants, lstatSync } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, ServiceError } from '../../errors.ts';

/** A download that was not kept. */
export interface CanceledDownload {
  name: string;
  /** A sentence. */
  reason: string;
}

/** A file that the browser or the code of a session has stored. */
export interface StoredDownload {
  name: string;
  /** Size in bytes. */
  size: number;
  /** When it was changed last, as ISO 8601. */
  modifiedAt: string;
}

/** Files that the browser and the code of a session have stored, and downloads that were canceled. */
export interface DownloadList {
  files: StoredDownload[];
  canceled: CanceledDownload[];
}

/** Size in bytes of all files of a session, which its browser and its code may add to. */
export const MAX_DOWNLOADS_BYTES = 100 * 1024 * 1024;

/**
 * The files in the directory of a session. The sandbox can write anything there, so only plain files are
 * read.
 */
export class Downloads {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Lists the files, sorted by name. */
  async list(): Promise<StoredDownload[]> {
    const names = (await readdir(this.#directory)).sort();
    const files = await Promise.all(
      names.map(async (name) => {
        // The file may have been deleted since it was listed.
        const found = await lstat(join(this.#directory, name)).catch(() => undefined);
        return found?.isFile() ? [{ name, size: found.size, modifiedAt: found.mtime.toISOString() }] : [];
      }),
    );
    return files.flat();
  }

  /** Whether there is a file of this name. */
  has(name: string): boolean {
    if (!isFileName(name)) return false;
    try {
      return lstatSync(join(this.#directory, name)).isFile();
    } catch {
      return false;
    }
  }

  /** Opens a file. @throws ServiceError `NOT_FOUND` for anything else than the name of a file */
  async open(name: string): Promise<{ size: number; stream: ReadStream }> {
    const { handle, size } = await this.#openFile(name);
    return { size, stream: handle.createReadStream({ end: Math.max(0, size - 1) }) };
  }

  /**
   * Reads a part of a file.
   * @returns fewer bytes at its end, and none after it
   * @throws ServiceError `NOT_FOUND` as {@link open}
   */
  async read(name: string, { position, bytes }: { position: number; bytes: number }): Promise<Buffer> {
    const { handle, size } = await this.#openFile(name);
    try {
      const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, size - position)));
      const { bytesRead } = await handle.read(buffer, { position });
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  async #openFile(name: string): Promise<{ handle: FileHandle; size: number }> {
    const notFound = () =>
      new ServiceError(
        'NOT_FOUND',
        `The session has no file named ${name}. GET /v2/browser/{id}/downloads lists its files.`,
      );
    if (!isFileName(name)) throw notFound();
    try {
      // A link is not followed, and a pipe does not block.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = await open(join(this.#directory, name), flags);
      const found = await handle.stat();
      if (found.isFile()) return { handle, size: found.size };
      await handle.close();
      throw notFound();
    } catch (error) {
      if (['ENOENT', 'ELOOP', 'ENXIO', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')) throw notFound();
      throw error;
    }
  }
}

/** Whether a text is a name rather than a path. */
const isFileName = (name: string) => !/[/\0]/.test(name) && !['', '.', '..'].includes(name);
