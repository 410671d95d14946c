import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { codeOf, messageOf, ServiceError } from '../errors.ts';
import { MANIFEST_NAME, type Manifest } from './manifest.ts';
import { SectionHashes } from './section-hashes.ts';

/** The files that a backup is written to, one after another. */
export interface ArchiveWriter {
  /** Bytes that were added until now. */
  readonly bytes: number;
  add(name: string, bytes: Uint8Array, storedAt?: Date): Promise<void>;
  /** @throws ServiceError `UNKNOWN_ERROR` if the source has another size */
  addStream(file: { name: string; size: number; storedAt: Date }, source: Readable): Promise<void>;
}

/**
 * Writes a backup beside a file and puts it in its place when it is complete and on the disk. Only this user can
 * read it.
 * @param fill adds the files. It returns what the manifest has beside their hashes
 * @throws ServiceError `BAD_REQUEST` if the file cannot be written
 */
export async function writeArchive(
  file: string,
  fill: (writer: ArchiveWriter) => Promise<Omit<Manifest, 'sections'>>,
): Promise<Manifest> {
  const draft = `${file}.part`;
  const pack = tar.pack();
  const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  let isOpen = false;
  target.once('open', () => {
    isOpen = true;
  });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const written = pipeline(pack, target).catch((error) => {
    reject(error);
    throw error;
  });
  for (const promise of [failed, written]) promise.catch(() => undefined);
  try {
    const writer = new TarWriter(pack, failed);
    const facts = await fill(writer);
    const manifest = { sections: writer.hashes.finish(), ...facts };
    await writer.put(MANIFEST_NAME, Buffer.from(JSON.stringify(manifest)));
    pack.finalize();
    await written;
    await rename(draft, file);
    return manifest;
  } catch (error) {
    pack.destroy();
    const ended: unknown = await written.catch((cause) => cause);
    // The draft of another backup stays.
    if (isOpen) await rm(draft, { force: true });
    // Only a system call tells that the file is the cause of what failed first.
    throw translateFileError(file, ended instanceof Error && 'syscall' in ended ? ended : error);
  }
}

class TarWriter implements ArchiveWriter {
  readonly hashes = new SectionHashes();
  readonly #pack: tar.Pack;
  readonly #failed: Promise<never>;
  bytes = 0;

  constructor(pack: tar.Pack, failed: Promise<never>) {
    this.#pack = pack;
    this.#failed = failed;
  }

  async add(name: string, bytes: Uint8Array, storedAt = new Date()): Promise<void> {
    this.hashes.begin(name, bytes.byteLength)(bytes);
    await this.put(name, bytes, storedAt);
  }

  /** Adds a file without its hash. */
  async put(name: string, bytes: Uint8Array, mtime = new Date()): Promise<void> {
    this.bytes += bytes.byteLength;
    await this.#write({ name, size: bytes.byteLength, mtime }, (sink) => sink.end(bytes));
  }

  async addStream(
    { name, size, storedAt }: { name: string; size: number; storedAt: Date },
    source: Readable,
  ): Promise<void> {
    const update = this.hashes.begin(name, size);
    this.bytes += size;
    await this.#write({ name, size, mtime: storedAt }, (sink) => {
      source.on('data', update);
      source.on('error', (error) => sink.destroy(error));
      source.pipe(sink as unknown as NodeJS.WritableStream);
    });
  }

  #write(
    header: { name: string; size: number; mtime: Date },
    fill: (sink: ReturnType<tar.Pack['entry']>) => void,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sink = this.#pack.entry({ ...header, mode: 0o600 }, (error) => (error ? reject(error) : resolve()));
    sink.on('error', reject);
    fill(sink);
    return Promise.race([promise, this.#failed]);
  }
}

/** Turns the error of a file that cannot be written or read into a sentence. */
function translateFileError(file: string, error: unknown): unknown {
  const code = codeOf(error);
  const refuse = (message: string) => new ServiceError('BAD_REQUEST', message, { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ServiceError(
      'INSUFFICIENT_STORAGE',
      `There is not enough room for the backup on the disk of ${file}. Free space, or choose another disk.`,
      { cause: error },
    );
  if (code === 'EEXIST')
    return refuse(
      `${file}.part exists: another backup writes it, or was killed. Delete it if no backup runs.`,
    );
  if (code && ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EROFS', 'EPERM'].includes(code))
    return refuse(`${file} cannot be written: ${messageOf(error)}.`);
  return error;
}
