import type { Readable } from 'node:stream';

/** A part of a file. */
export interface Range {
  offset: number;
  length: number;
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
  sweep(before: Date): Promise<number>;
  ready(): Promise<void>;
}
