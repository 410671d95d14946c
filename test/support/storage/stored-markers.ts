import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { codeOf } from '../../../src/errors.ts';
import type { Database } from '../../../src/storage/db/client.ts';
import { payloadsOf } from '../workflows/histories.ts';

/** The stores of a service. */
export interface Stores {
  db: Database;
  client: Client;
  dataDir: string;
}

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** A value of a table as text; what is kept as bytes is decoded, and decompressed if it was compressed. */
function textOf(value: unknown): string {
  if (!Buffer.isBuffer(value)) return JSON.stringify(value) ?? '';
  const isCompressed = value.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC);
  return (isCompressed ? zstdDecompressSync(value) : value).toString('latin1');
}

export async function tablesWith(db: Database, marker: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(db.query);
  // Postgres writes bytes as hexadecimal digits. Whether compressed ones hold the marker shows when they are
  // read.
  const patterns = [marker, Buffer.from(marker).toString('hex'), ZSTD_MAGIC.toString('hex')].map(
    (text) => `%${text}%`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.id(name)} as t where t::text like any(${patterns})`.execute(db.query);
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      if (textOf(value).includes(marker)) found.push(`table ${name}.${column}`);
    }
  }
  return found;
}

/** The name of a file that the store is still writing. */
const UNFINISHED = /\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** All blobs of a file, which holds one or many. */
function contentOf(bytes: Buffer, name: string): Buffer {
  if (UNFINISHED.test(name)) return bytes;
  const blobs: Buffer[] = [];
  for (let at = bytes.indexOf(ZSTD_MAGIC); at >= 0; at = bytes.indexOf(ZSTD_MAGIC, at + 1)) {
    try {
      blobs.push(zstdDecompressSync(bytes.subarray(at)));
    } catch (error) {
      // Inside a blob the same four bytes begin nothing.
      if (at === 0) throw error;
    }
  }
  return Buffer.concat(blobs);
}

/**
 * The files below a directory that hold the marker.
 * @param options.read returns what a file of this name holds; by default its bytes
 * @param options.changedSince leaves out files that were written last before
 */
export async function filesWith(
  directory: string,
  marker: string,
  { read = (bytes: Buffer, _name: string) => bytes, changedSince = new Date(0) } = {},
): Promise<string[]> {
  const found: string[] = [];
  const search = async (folder: string): Promise<void> => {
    const entries = (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) await search(place);
      if (!entry.isFile()) continue;
      const bytes = await unlessGone(readIfChanged(place, changedSince));
      if (bytes && read(bytes, entry.name).includes(marker)) found.push(path.relative(directory, place));
    }
  };
  await search(directory);
  return found;
}

/**
 * Postgres replaces files and other tests drop databases at any time, and browsers delete their directories
 * when they end.
 */
const unlessGone = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
  reading.catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  });

/** File systems may round the time of a change. */
const FILE_TIME_ACCURACY_MS = 2_000;

async function readIfChanged(file: string, since: Date): Promise<Buffer | undefined> {
  const { mtimeMs } = await stat(file);
  return mtimeMs >= since.getTime() - FILE_TIME_ACCURACY_MS ? readFile(file) : undefined;
}

/**
 * Temporal gets a quick scrape after its response, and enters a workflow into its index up to half a second
 * later.
 */
const INDEX_DELAY_MS = 1_500;

async function historiesWith(client: Client, marker: string, since: Date): Promise<string[]> {
  const query = `CloseTime >= '${since.toISOString()}' or ExecutionStatus = 'Running'`;
  const found: string[] = [];
  await sleep(INDEX_DELAY_MS);
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const history = await handle.fetchHistory();
    const description = await handle.describe();
    const texts = [
      JSON.stringify(history, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
      ...payloadsOf(history),
      JSON.stringify(description.typedSearchAttributes.getAll()),
      await description.staticSummary(),
      await description.staticDetails(),
    ];
    if (texts.some((text) => text?.includes(marker))) found.push(`workflow ${workflowId}`);
  }
  return found;
}

/**
 * Lists every place of a service that holds a text: columns of tables, files such as logs and those of
 * Postgres and Temporal, blobs and workflows.
 * @param since when the text was made; the other tests leave much data, and what did not change since cannot
 * hold it
 */
export async function findMarker(
  marker: string,
  { db, client, dataDir }: Stores,
  since: Date,
): Promise<string[]> {
  await sql`checkpoint`.execute(db.query);
  const blobs = path.join(dataDir, 'blobs');
  const places = await Promise.all([
    tablesWith(db, marker),
    filesWith(blobs, marker, { read: contentOf, changedSince: since }).then((files) =>
      files.map((file) => `file ${path.join('blobs', file)}`),
    ),
    filesWith(dataDir, marker, { changedSince: since }).then((files) => files.map((file) => `file ${file}`)),
    historiesWith(client, marker, since),
  ]);
  return [...new Set(places.flat())].sort();
}
