import type { Readable } from 'node:stream';

/** A range of bytes in a file. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** A file in the store, leftovers of interrupted writes included. */
export interface StoredBlob {
  key: string;
  storedAt: Date;
  /** Size in bytes, as it is stored. */
  bytes: number;
}

/** Files that were deleted, and the bytes that they took. */
export interface DeletedFiles {
  files: number;
  bytes: number;
}

/**
 * A backend that stores compressed files under keys. Writing is atomic and durable, except for `writeSoon`.
 */
export interface BlobStore {
  /** Renews the time of storage. @returns `false` if the file does not exist or must be written again */
  touch(key: string): Promise<boolean>;
  write(key: string, bytes: Buffer): Promise<void>;
  /**
   * Writes like `write`, but a power failure within the next minute may leave the file empty, cut short or
   * missing.
   */
  writeSoon(key: string, bytes: Buffer): Promise<void>;
  /** @param bytes the size of the source */
  writeStream(key: string, source: Readable, bytes: number): Promise<void>;
  has(key: string): Promise<boolean>;
  /** Sets the time of storage; a bucket keeps that of the last write. */
  dateBack(key: string, storedAt: Date): Promise<void>;
  /**
   * @returns `undefined` for a key that is not stored; fewer bytes than the range has if the file ends within
   * it
   */
  read(key: string, range: ByteRange | undefined): Promise<Buffer | undefined>;
  /** @returns `undefined` for a key that is not stored */
  stream(key: string): Promise<Readable | undefined>;
  remove(key: string): Promise<void>;
  /** Lists the files whose keys begin with two hex digits. */
  list(prefix: string): Promise<StoredBlob[]>;
  sweep(before: Date): Promise<DeletedFiles>;
  ready(): Promise<void>;
}
