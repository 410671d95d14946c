import type { Readable } from 'node:stream';

/** A backup that is written or read: a file, or an object of a bucket. */
export interface BackupFile {
  /** What messages call it. */
  readonly name: string;
  /**
   * Stores a stream. The backup appears when it is complete and durable, and replaces one with the same name; nothing
   * stays of one whose stream is destroyed.
   * @throws ServiceError that says what to do if it cannot be written; what the stream throws
   */
  write(source: Readable): Promise<void>;
  /** Reads it from its beginning. The stream fails with a `ServiceError` if it cannot be read. */
  read(): Readable;
}

/** Where daily backups are: a directory, or a prefix of a bucket. It may have other files, too. */
export interface BackupPlace {
  file(name: string): BackupFile;
  list(): Promise<{ name: string; writtenAt: Date }[]>;
  remove(name: string): Promise<void>;
  /**
   * Removes what processes that were killed have left of backups.
   * @param isOwn tells from the name of a backup whether what is left of it may be removed
   * @param before when it was written last, or begun, at the latest
   */
  removeDrafts(isOwn: (name: string) => boolean, before: Date): Promise<void>;
  /**
   * Writes something and deletes it again. A directory is created.
   * @throws ServiceError that says what to do if backups cannot be written here
   */
  requireWritable(): Promise<void>;
}

/** What is written to a place, and deleted again, to see that it can be written. */
export const PROBE_TEXT = 'Winnow tries whether it can write backups here.';
