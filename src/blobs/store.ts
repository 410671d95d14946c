import type { Readable } from 'node:stream';

/** A part of a file. */
export interface Range {
  offset: number;
  length: number;
}

/** A file as it lies in the store, drafts that were never finished too. */
export interface PlacedFile {
  key: string;
  putAt: Date;
}

/** Where compressed bytes lie; writing is atomic. */
export interface Store {
  /** Whether it is there; if so it counts as put now. */
  renew(key: string): Promise<boolean>;
  write(key: string, bytes: Buffer): Promise<void>;
  writeFile(key: string, file: string): Promise<void>;
  /** `undefined` when there is nothing. */
  read(key: string, range: Range | undefined): Promise<Buffer | undefined>;
  /** `undefined` when there is nothing. */
  stream(key: string): Promise<Readable | undefined>;
  remove(key: string): Promise<void>;
  /** The files whose keys begin with these two hex digits. */
  list(shelf: string): Promise<PlacedFile[]>;
  sweep(before: Date): Promise<number>;
  ready(): Promise<void>;
}
