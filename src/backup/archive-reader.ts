import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import {
  type BackupHeader,
  FORMAT,
  FORMAT_VERSION,
  HEADER_NAME,
  headerSchema,
  MANIFEST_NAME,
  type Manifest,
  manifestSchema,
} from './manifest.ts';
import type { BackupFile } from './places/backup-place.ts';
import { SectionHashes } from './section-hashes.ts';

/** Maximum size of header and manifest in bytes. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** One file of a backup. Its bytes have to be read before the next file is. */
export interface ArchivedFile {
  name: string;
  size: number;
  storedAt: Date;
  content: AsyncIterable<Uint8Array>;
}

/** A backup whose bytes are those that were written. */
export interface CheckedBackup {
  header: BackupHeader;
  manifest: Manifest;
}

const notABackup = (file: string, cause?: unknown) =>
  new ServiceError(
    'BAD_REQUEST',
    `${file} is not a backup of Winnow. Give a file that the command backup has written.`,
    { cause },
  );
const damaged = (file: string, what: string, cause?: unknown) =>
  new ServiceError('BAD_REQUEST', `${file} cannot be restored: ${what}. Use another backup.`, { cause });

/**
 * Reads all of a backup and compares its bytes with its hashes.
 * @param onBytes told how many bytes were read
 * @throws ServiceError `BAD_REQUEST` that says what is wrong with it
 */
export async function checkBackup(
  backup: BackupFile,
  onBytes: (bytes: number) => void,
): Promise<CheckedBackup> {
  const { name: file } = backup;
  const hashes = new SectionHashes();
  let header: BackupHeader | undefined;
  let manifest: Manifest | undefined;
  let read = 0;
  try {
    for await (const entry of readArchive(backup)) {
      if (!header) {
        header = await readHeader(file, entry, hashes);
      } else if (manifest) {
        throw damaged(file, 'it has files behind its end');
      } else if (entry.name === MANIFEST_NAME) {
        manifest = await readManifest(file, entry);
      } else {
        const update = hashes.begin(entry.name, entry.size);
        for await (const bytes of entry.content) update(bytes);
      }
      read += entry.size;
      onBytes(read);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw header ? damaged(file, 'it was cut off or altered', error) : notABackup(file, error);
  }
  if (!header) throw notABackup(file);
  if (!manifest) throw damaged(file, 'it was cut off');
  requireEqual(file, manifest.sections, hashes.finish());
  return { header, manifest };
}

function requireEqual(file: string, expected: Manifest['sections'], found: Manifest['sections']): void {
  for (const section of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const [a, b] = [expected[section], found[section]];
    if (a && b && a.sha256 === b.sha256 && a.files === b.files) continue;
    throw damaged(file, `its part ${section} was altered`);
  }
}

async function readHeader(file: string, entry: ArchivedFile, hashes: SectionHashes): Promise<BackupHeader> {
  if (entry.name !== HEADER_NAME || entry.size > MAX_JSON_BYTES) throw notABackup(file);
  const bytes = await readWhole(entry);
  hashes.begin(entry.name, entry.size)(bytes);
  const parsed = headerSchema.safeParse(parseJson(bytes));
  if (parsed.success && parsed.data.formatVersion === FORMAT_VERSION) return parsed.data;
  const other = z.object({ format: z.literal(FORMAT), formatVersion: z.number(), version: z.string() });
  const { data } = other.safeParse(parseJson(bytes));
  if (data && data.formatVersion > FORMAT_VERSION)
    throw new ServiceError(
      'BAD_REQUEST',
      `${file} was made by Winnow ${data.version}, whose backups this version cannot read. Install that version or a later one.`,
    );
  throw data ? damaged(file, `its part ${HEADER_NAME} was altered`) : notABackup(file, parsed.error);
}

async function readManifest(file: string, entry: ArchivedFile): Promise<Manifest> {
  if (entry.size > MAX_JSON_BYTES) throw damaged(file, `its part ${MANIFEST_NAME} was altered`);
  const parsed = manifestSchema.safeParse(parseJson(await readWhole(entry)));
  if (!parsed.success) throw damaged(file, `its part ${MANIFEST_NAME} was altered`, parsed.error);
  return parsed.data;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined; // The schema refuses it.
  }
}

/** Reads all of a file into memory. */
export async function readWhole({ size, content }: ArchivedFile): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(size);
  let read = 0;
  for await (const bytes of content) {
    whole.set(bytes, read);
    read += bytes.length;
  }
  return whole;
}

/**
 * Reads the files of a backup in their order.
 * @throws ServiceError if it cannot be read; Error if it is none, or cut off within a file
 */
export async function* readArchive(file: BackupFile): AsyncGenerator<ArchivedFile> {
  const extract = tar.extract();
  const source = file.read();
  const reading = pipeline(source, extract as unknown as NodeJS.WritableStream);
  // The error also ends the loop.
  reading.catch(() => undefined);
  try {
    for await (const entry of extract) {
      const { name, size, mtime } = entry.header;
      yield { name, size, storedAt: mtime, content: entry as unknown as AsyncIterable<Uint8Array> };
    }
    await reading;
  } finally {
    source.destroy();
    extract.destroy();
  }
}
