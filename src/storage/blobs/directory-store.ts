import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../errors.ts';
import type { BlobStore, ByteRange } from './blob-store.ts';

const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';

const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL;
/** Each write returns when its bytes are on the disk, so that small files need no other call for it. */
const NEW_SYNCED_FILE = NEW_FILE | O_DSYNC;

/** Resolves to the value of the promise, or to `absent` if the file does not exist. */
const orIfMissing = <Value, Absent>(promise: Promise<Value>, absent: Absent): Promise<Value | Absent> =>
  promise.catch((error) => {
    if (isMissing(error)) return absent;
    throw error;
  });

/**
 * Opens a store in a directory, which is created on the first write. The first two digits of a key are the
 * name of its subdirectory.
 */
export function openDirectoryStore(root: string): BlobStore {
  const fileOf = (key: string) => path.join(root, key.slice(0, 2), key.slice(2));

  /**
   * Writes a file.
   * @param flags {@link NEW_FILE} or {@link NEW_SYNCED_FILE}
   * @param fill writes the content. Unless the blob may be lost, it resolves when the content is on the disk:
   * a power failure
   *   must not leave a database row without the blob that it refers to.
   */
  async function write(
    key: string,
    flags: number,
    fill: (handle: FileHandle) => Promise<void>,
  ): Promise<void> {
    const file = fileOf(key);
    const temporary = `${file}.${randomUUID()}`;
    const handle = await open(temporary, flags, 0o600).catch(async (error) => {
      if (!isMissing(error)) throw error;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      return open(temporary, flags, 0o600);
    });
    try {
      await fill(handle);
      await Promise.all([handle.close(), rename(temporary, file)]);
    } catch (error) {
      // The first error is the cause. The file may be closed or renamed already.
      await handle.close().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
  }

  return {
    touch(key) {
      const now = new Date();
      return orIfMissing(
        utimes(fileOf(key), now, now).then(() => true),
        false,
      );
    },
    write: (key, bytes) => write(key, NEW_SYNCED_FILE, (handle) => handle.writeFile(bytes)),
    writeSoon: (key, bytes) => write(key, NEW_FILE, (handle) => handle.writeFile(bytes)),
    writeStream: (key, source) =>
      write(key, NEW_FILE, async (handle) => {
        await handle.writeFile(source);
        await handle.datasync();
      }),
    has: (key) =>
      orIfMissing(
        stat(fileOf(key)).then(() => true),
        false,
      ),
    dateBack: (key, storedAt) => utimes(fileOf(key), storedAt, storedAt),
    stream: (key) =>
      orIfMissing(
        open(fileOf(key)).then((handle) => handle.createReadStream()),
        undefined,
      ),
    read: (key, range) =>
      orIfMissing(range ? readPart(fileOf(key), range) : readFile(fileOf(key)), undefined),
    remove: (key) => orIfMissing(unlink(fileOf(key)), undefined),
    async list(prefix) {
      const names = await orIfMissing(readdir(path.join(root, prefix)), []);
      const found = names.map(async (name) => {
        const file = await orIfMissing(stat(path.join(root, prefix, name)), undefined);
        return file ? [{ key: prefix + name, storedAt: file.mtime, bytes: file.size }] : [];
      });
      return (await Promise.all(found)).flat();
    },
    async sweep(before) {
      const deleted = { files: 0, bytes: 0 };
      for (const prefix of await orIfMissing(readdir(root), [])) {
        for (const name of await readdir(path.join(root, prefix))) {
          const file = path.join(root, prefix, name);
          // Another process may delete the file at the same time.
          const found = await orIfMissing(stat(file), undefined);
          if (!found || found.mtime >= before) continue;
          await orIfMissing(unlink(file), undefined);
          deleted.files++;
          deleted.bytes += found.size;
        }
      }
      return deleted;
    },
    async ready() {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await stat(root);
    },
  };
}

async function readPart(file: string, { offset, length }: ByteRange): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
