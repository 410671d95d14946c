import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { BlobStore } from '../storage/blobs/blob-store.ts';
import { BLOB_SPACES, type BlobSpace, locateBlob, openBlobStore } from '../storage/blobs/index.ts';
import type { CopiedTable } from '../storage/db/backup/copied-tables.ts';
import { type DatabaseSnapshot, withSnapshot } from '../storage/db/backup/snapshot.ts';
import type { Database } from '../storage/db/client.ts';
import { readVersion } from '../system/version.ts';
import { type ArchiveWriter, writeArchive } from './archive-writer.ts';
import {
  type BackupHeader,
  FORMAT,
  FORMAT_VERSION,
  HEADER_NAME,
  type KeyName,
  type Manifest,
} from './manifest.ts';
import type { BackupFile } from './places/backup-place.ts';
import { fingerprintSecret } from './secret-fingerprint.ts';

/** What a backup is made of. */
export interface BackupSource {
  db: Database;
  /** Location of the blob store, see `openBlobs`. */
  blobs: string;
  /** The keys that the backup gets. */
  keys: ReadonlyMap<KeyName, string>;
  /** The key that encrypts and signs; `undefined` if it is not known. */
  secretKey: string | undefined;
  /** Ends the work. */
  signal: AbortSignal;
  /** Told what is copied, with the number of bytes until now. */
  onProgress(part: string, bytes: number): void;
}

const compress = promisify(zstdCompress);
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Rows are stored in parts of this many bytes, because the size of a file in a tar stands before it. */
const PART_BYTES = 4 * 1024 * 1024;
/** Blobs of up to this size are read ahead, this many at once. */
const SMALL_BLOB_BYTES = 1024 * 1024;
const BLOBS_AHEAD = 16;
/** Names of whole files; others are left over from interrupted writes. */
const BLOB_KEY = /^[0-9a-f]{64}$/;

/**
 * Writes all that an instance has, while it runs.
 * @throws ServiceError if the backup cannot be written, or a part of the service does not respond
 */
export function writeBackup(file: BackupFile, source: BackupSource): Promise<Manifest> {
  return writeArchive(file, async (writer) => {
    const rows: Manifest['rows'] = {};
    let withheld = new Set<string>();
    await withSnapshot(
      source.db,
      async (snapshot) => {
        const header = describe(snapshot, source.secretKey);
        await writer.add(HEADER_NAME, Buffer.from(JSON.stringify(header)));
        withheld = new Set((await snapshot.listWithheldBlobs()).map((key) => locateBlob(key).file));
        for (const table of snapshot.tables) {
          source.onProgress(`table ${table.name}`, writer.bytes);
          rows[table.name] = await addTable(writer, { source, snapshot, table });
        }
      },
      async () => {
        for (const space of BLOB_SPACES) await addBlobs(writer, { source, space, withheld });
      },
    );
    for (const [name, value] of source.keys) await writer.add(`keys/${name}`, Buffer.from(value));
    return { rows };
  });
}

const describe = ({ migrations, tables }: DatabaseSnapshot, secretKey: string | undefined): BackupHeader => ({
  format: FORMAT,
  formatVersion: FORMAT_VERSION,
  version: readVersion(),
  createdAt: new Date().toISOString(),
  migrations,
  tables,
  secretFingerprint: secretKey === undefined ? null : fingerprintSecret(secretKey),
});

async function addTable(
  writer: ArchiveWriter,
  { source, snapshot, table }: { source: BackupSource; snapshot: DatabaseSnapshot; table: CopiedTable },
): Promise<{ count: number; bytes: number }> {
  const rows = snapshot.copy(table);
  let [part, bytes] = [0, 0];
  for await (const chunk of inParts(rows)) {
    source.signal.throwIfAborted();
    part++;
    bytes += chunk.byteLength;
    await writer.add(
      `tables/${table.name}/${String(part).padStart(6, '0')}.zst`,
      await compress(chunk, FAST),
    );
  }
  return { count: rows.rowCount, bytes };
}

/** Joins chunks to parts of at least `PART_BYTES`, except for the last one. */
async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let part: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    part.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(part);
    [part, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(part);
}

interface FoundBlob {
  key: string;
  storedAt: Date;
  size: number;
  /** Absent for a large blob, which is copied as a stream. */
  content?: Buffer;
}

async function addBlobs(
  writer: ArchiveWriter,
  { source, space, withheld }: { source: BackupSource; space: BlobSpace; withheld: ReadonlySet<string> },
): Promise<void> {
  const store = await openBlobStore(source.blobs, space);
  for await (const { key, storedAt, size, content } of readBlobs(store, withheld)) {
    source.signal.throwIfAborted();
    const name = `blobs/${space}/${key}`;
    source.onProgress(`files of ${space}`, writer.bytes);
    if (content) {
      await writer.add(name, content, storedAt);
      continue;
    }
    const stream = await store.stream(key);
    if (stream) await writer.addStream({ name, size, storedAt }, stream);
  }
}

/** Reads the blobs of a store, a few ahead. Those that were deleted meanwhile belong to no row. */
async function* readBlobs(store: BlobStore, withheld: ReadonlySet<string>): AsyncGenerator<FoundBlob> {
  const pending: Promise<FoundBlob | undefined>[] = [];
  for (let prefix = 0; prefix < 256; prefix++) {
    for (const { key, storedAt, bytes } of await store.list(prefix.toString(16).padStart(2, '0'))) {
      if (!BLOB_KEY.test(key) || withheld.has(key)) continue;
      const found = readBlob(store, { key, storedAt, size: bytes });
      // Its error is thrown when it is its turn.
      found.catch(() => undefined);
      pending.push(found);
      if (pending.length >= BLOBS_AHEAD) yield* nextBlob(pending);
    }
  }
  while (pending.length) yield* nextBlob(pending);
}

async function readBlob(store: BlobStore, blob: FoundBlob): Promise<FoundBlob | undefined> {
  if (blob.size > SMALL_BLOB_BYTES) return blob;
  const content = await store.read(blob.key, undefined);
  return content && { ...blob, content };
}

async function* nextBlob(pending: Promise<FoundBlob | undefined>[]): AsyncGenerator<FoundBlob> {
  const blob = await pending.shift();
  if (blob) yield blob;
}
