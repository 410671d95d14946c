import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { ServiceError } from '../errors.ts';
import {
  requireKnownMigrations,
  restoreTables,
  type StoreRows,
} from '../storage/db/backup/restore-tables.ts';
import type { Database } from '../storage/db/client.ts';
import { type ArchivedFile, type CheckedBackup, readArchive, readWhole } from './archive-reader.ts';
import { HEADER_NAME, KEY_NAMES, type KeyName, MANIFEST_NAME } from './manifest.ts';
import type { BackupFile } from './places/backup-place.ts';
import { type RestoredBlobs, restoreBlobs } from './restored-blobs.ts';

/** Where a backup is restored to. */
export interface RestoreTarget {
  db: Database;
  /** Location of the blob store, see `openBlobs`. */
  blobs: string;
  /** Replaces an instance with jobs, too. */
  force: boolean;
  /** Ends the work. */
  signal: AbortSignal;
  /** Told what is stored, with the number of bytes until now. */
  onProgress(part: string, bytes: number): void;
}

const decompress = promisify(zstdDecompress);
/** Parts of tables have fewer bytes than this, with the longest row at their end. */
const MAX_PART_BYTES = 1024 * 1024 * 1024;

/**
 * Replaces what an instance has by a backup. Where that fails, what was there stands.
 * @param backup what the file has according to `checkBackup`
 * @returns the keys of the backup, which the caller stores
 * @throws ServiceError `BAD_REQUEST` if the backup is of a newer version, or the instance may not be replaced
 */
export async function restoreBackup(
  file: BackupFile,
  backup: CheckedBackup,
  target: RestoreTarget,
): Promise<Map<KeyName, string>> {
  const { migrations, tables, version } = backup.header;
  await requireKnownMigrations(migrations, version);
  const keys = new Map<KeyName, string>();
  const blobs = await restoreBlobs(target.blobs);
  try {
    await restoreTables(target.db, { migrations, tables, force: target.force }, async (store) => {
      await new ArchiveRestore(file, backup, { ...target, store, storedBlobs: blobs, keys }).run();
      await blobs.finish();
    });
    return keys;
  } catch (error) {
    await blobs.undo();
    throw error;
  } finally {
    await blobs.close();
  }
}

type Destination = RestoreTarget & {
  store: StoreRows;
  storedBlobs: RestoredBlobs;
  keys: Map<KeyName, string>;
};

/** Reads the files of a backup once more and stores each where it belongs. */
class ArchiveRestore {
  readonly #files: AsyncGenerator<ArchivedFile>;
  readonly #backup: CheckedBackup;
  readonly #to: Destination;
  readonly #name: string;
  #file: ArchivedFile | undefined;
  #bytes = 0;

  constructor(file: BackupFile, backup: CheckedBackup, destination: Destination) {
    this.#name = file.name;
    this.#files = readArchive(file);
    this.#backup = backup;
    this.#to = destination;
  }

  async run(): Promise<void> {
    await this.#advance();
    while (this.#file) {
      const [kind, group = '', name = ''] = this.#file.name.split('/');
      this.#to.onProgress(this.#file.name.split('/').slice(0, 2).join(' '), this.#bytes);
      if (kind === 'tables') await this.#restoreTable(group);
      else await this.#restoreFile(this.#file, { kind, group, name });
    }
  }

  async #restoreFile(
    file: ArchivedFile,
    { kind, group, name }: { kind: string | undefined; group: string; name: string },
  ): Promise<void> {
    const key = KEY_NAMES.find((each) => each === group);
    if (kind === 'blobs') await this.#to.storedBlobs.add({ space: group, key: name }, file);
    else if (kind === 'keys' && key) this.#to.keys.set(key, (await readWhole(file)).toString());
    else if (kind === HEADER_NAME || kind === MANIFEST_NAME) for await (const _ of file.content);
    else throw this.#changed();
    await this.#advance();
  }

  async #restoreTable(name: string): Promise<void> {
    const table = this.#backup.header.tables.find((each) => each.name === name);
    if (!table) throw this.#changed();
    const stored = await this.#to.store(table, this.#rowsOf(name));
    if (stored !== this.#backup.manifest.rows[name]?.count) throw this.#changed();
  }

  /** The rows of a table, which are in one file after another. */
  async *#rowsOf(table: string): AsyncGenerator<Uint8Array> {
    while (this.#file?.name.startsWith(`tables/${table}/`)) {
      const part = await readWhole(this.#file);
      yield await decompress(part, { maxOutputLength: MAX_PART_BYTES });
      await this.#advance();
    }
  }

  async #advance(): Promise<void> {
    this.#to.signal.throwIfAborted();
    this.#bytes += this.#file?.size ?? 0;
    const next = await this.#files.next();
    this.#file = next.done ? undefined : next.value;
  }

  #changed(): ServiceError {
    return new ServiceError(
      'BAD_REQUEST',
      `${this.#name} cannot be restored: it has other files than a backup of this version, or was altered meanwhile. Use another backup.`,
    );
  }
}
