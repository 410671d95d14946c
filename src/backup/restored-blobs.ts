import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { ServiceError } from '../errors.ts';
import type { BlobStore } from '../storage/blobs/blob-store.ts';
import { BLOB_SPACES, openBlobStore } from '../storage/blobs/index.ts';
import { type ArchivedFile, readWhole } from './archive-reader.ts';

/** The blobs of a restore. */
export interface RestoredBlobs {
  /** Stores a blob, perhaps while others are being stored. */
  add(blob: { space: string; key: string }, file: ArchivedFile): Promise<void>;
  /** Resolves when all blobs are stored. */
  finish(): Promise<void>;
  /** Deletes the blobs that were not there before. */
  undo(): Promise<void>;
  /** Forgets which blobs were new. */
  close(): Promise<void>;
}

/** Blobs of up to this size are stored side by side, this many at once. */
const SMALL_BLOB_BYTES = 1024 * 1024;
const BLOBS_AT_ONCE = 16;
const BLOB_KEY = /^[0-9a-f]{64}$/;

/** Begins to store blobs. Those that are new are noted in a file, because there may be millions. */
export async function restoreBlobs(location: string): Promise<RestoredBlobs> {
  const entries = BLOB_SPACES.map(async (space) => [space, await openBlobStore(location, space)] as const);
  const directory = await mkdtemp(join(tmpdir(), 'winnow-restore-'));
  const journal = await open(join(directory, 'new-blobs'), 'a', 0o600);
  return new BlobRestore(new Map(await Promise.all(entries)), directory, journal);
}

class BlobRestore implements RestoredBlobs {
  readonly #stores: ReadonlyMap<string, BlobStore>;
  readonly #directory: string;
  readonly #journal: FileHandle;
  readonly #pending = new Set<Promise<void>>();

  constructor(stores: ReadonlyMap<string, BlobStore>, directory: string, journal: FileHandle) {
    this.#stores = stores;
    this.#directory = directory;
    this.#journal = journal;
  }

  async add({ space, key }: { space: string; key: string }, file: ArchivedFile): Promise<void> {
    const store = this.#stores.get(space);
    if (!store || !BLOB_KEY.test(key))
      throw new ServiceError('BAD_REQUEST', `The backup has a file ${file.name}, which is none of Winnow.`);
    if (file.size > SMALL_BLOB_BYTES) {
      await this.#store(store, { space, key, storedAt: file.storedAt }, () =>
        store.writeStream(key, Readable.from(file.content), file.size),
      );
      // The store may have the blob already, and then nobody has read it.
      for await (const _ of file.content);
      return;
    }
    const bytes = await readWhole(file);
    const storing = this.#store(store, { space, key, storedAt: file.storedAt }, () =>
      store.write(key, bytes),
    );
    this.#pending.add(storing);
    storing.then(
      () => this.#pending.delete(storing),
      // The error stays to be thrown by the next one who waits.
      () => undefined,
    );
    if (this.#pending.size >= BLOBS_AT_ONCE) await Promise.race(this.#pending);
  }

  async #store(
    store: BlobStore,
    { space, key, storedAt }: { space: string; key: string; storedAt: Date },
    write: () => Promise<void>,
  ): Promise<void> {
    const isKnown = await store.has(key);
    if (isKnown && (await store.touch(key))) return;
    if (!isKnown) await this.#journal.appendFile(`${space} ${key}\n`);
    await write();
    if (!isKnown) await store.dateBack(key, storedAt);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async undo(): Promise<void> {
    await Promise.allSettled(this.#pending);
    const lines = createInterface({ input: createReadStream(join(this.#directory, 'new-blobs')) });
    for await (const line of lines) {
      const [space = '', key = ''] = line.split(' ');
      await this.#stores.get(space)?.remove(key);
    }
  }

  async close(): Promise<void> {
    await this.#journal.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
