import type { Readable } from 'node:stream';
import tar from 'tar-stream';
import { ServiceError } from '../errors.ts';
import { MANIFEST_NAME, type Manifest } from './manifest.ts';
import type { BackupFile } from './places/backup-place.ts';
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
 * Writes a backup. One that fails leaves nothing.
 * @param fill adds the files. It returns what the manifest has beside their hashes
 * @throws ServiceError if the backup cannot be written there; what `fill` throws
 */
export async function writeArchive(
  file: BackupFile,
  fill: (writer: ArchiveWriter) => Promise<Omit<Manifest, 'sections'>>,
): Promise<Manifest> {
  const pack = tar.pack();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const written = file.write(pack as unknown as Readable);
  written.catch(reject);
  failed.catch(() => undefined);
  try {
    const writer = new TarWriter(pack, failed);
    const facts = await fill(writer);
    const manifest = { sections: writer.hashes.finish(), ...facts };
    await writer.put(MANIFEST_NAME, Buffer.from(JSON.stringify(manifest)));
    pack.finalize();
    await written;
    return manifest;
  } catch (error) {
    pack.destroy();
    const ended: unknown = await written.catch((cause) => cause);
    // What fails because the place has failed says nothing of the cause.
    throw ended instanceof ServiceError ? ended : error;
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
