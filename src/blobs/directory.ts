import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
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
import { codeOf } from '../errors.ts';
import type { Range, Store } from './store.ts';

const isAbsent = (error: unknown) => codeOf(error) === 'ENOENT';

/** The value, or what stands for a file that is not there. */
const orAbsent = <Value, Absent>(promise: Promise<Value>, absent: Absent): Promise<Value | Absent> =>
  promise.catch((error) => {
    if (isAbsent(error)) return absent;
    throw error;
  });

/** A directory, made when something is first kept in it: files by the first two digits of their keys. */
export function openDirectory(root: string): Store {
  const fileOf = (key: string) => path.join(root, key.slice(0, 2), key.slice(2));

  async function write(key: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
    const file = fileOf(key);
    const draft = `${file}.${randomUUID()}`;
    const handle = await open(draft, 'wx', 0o600).catch(async (error) => {
      if (!isAbsent(error)) throw error;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      return open(draft, 'wx', 0o600);
    });
    try {
      await fill(handle);
      // The row that names this blob must not outlive its bytes in a power cut.
      await handle.datasync();
      await handle.close();
      await rename(draft, file);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  }

  return {
    renew(key) {
      const now = new Date();
      return orAbsent(
        utimes(fileOf(key), now, now).then(() => true),
        false,
      );
    },
    write: (key, bytes) => write(key, (handle) => handle.writeFile(bytes)),
    writeFile: (key, source) => write(key, (handle) => handle.writeFile(createReadStream(source))),
    stream: (key) =>
      orAbsent(
        open(fileOf(key)).then((handle) => handle.createReadStream()),
        undefined,
      ),
    read: (key, range) => orAbsent(range ? readPart(fileOf(key), range) : readFile(fileOf(key)), undefined),
    remove: (key) => orAbsent(unlink(fileOf(key)), undefined),
    async list(shelf) {
      const names = await orAbsent(readdir(path.join(root, shelf)), []);
      const found = names.map(async (name) => {
        const file = await orAbsent(stat(path.join(root, shelf, name)), undefined);
        return file ? [{ key: shelf + name, putAt: file.mtime }] : [];
      });
      return (await Promise.all(found)).flat();
    },
    async sweep(before) {
      let swept = 0;
      for (const shelf of await orAbsent(readdir(root), [])) {
        for (const name of await readdir(path.join(root, shelf))) {
          const file = path.join(root, shelf, name);
          // Whoever sweeps beside us may be quicker.
          const found = await orAbsent(stat(file), undefined);
          if (!found || found.mtime >= before) continue;
          await orAbsent(unlink(file), undefined);
          swept++;
        }
      }
      return swept;
    },
    async ready() {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await stat(root);
    },
  };
}

async function readPart(file: string, { offset, length }: Range): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    if (bytesRead < length) throw new Error(`${file} ends before ${offset + length}`);
    return buffer;
  } finally {
    await handle.close();
  }
}
