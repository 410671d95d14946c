import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../errors.ts';
import { giveToSession, type SessionDirectory } from '../session-directory.ts';
import type { BrowserDownloads } from './browser-downloads.ts';
import { MAX_DOWNLOADS_BYTES } from './downloads.ts';

/** A file for a session. */
export interface UploadedFile {
  /** The name that its client has given it. */
  name: string;
  content: Readable;
}

/** Bytes after which the files of the session are measured again. */
const MEASURE_BYTES = 4 * 1024 * 1024;

/**
 * Stores a file among those of a session, where its browser and its code find it.
 * @returns its size in bytes, and its name, which is another one if that was taken
 * @throws ServiceError `REQUEST_TOO_LARGE` if the session has no room for it
 */
export async function storeUpload(
  { name: wanted, content }: UploadedFile,
  {
    directory,
    downloads,
  }: {
    directory: Pick<SessionDirectory, 'downloads' | 'uploads'>;
    downloads: Pick<BrowserDownloads, 'names' | 'isFull'>;
  },
): Promise<{ name: string; size: number }> {
  const draft = join(directory.uploads, randomUUID());
  try {
    const size = await receive(draft, content, () => downloads.isFull());
    await giveToSession(draft);
    const name = downloads.names.reserve(wanted);
    await rename(draft, join(directory.downloads, name));
    return { name, size };
  } finally {
    await rm(draft, { force: true });
  }
}

async function receive(path: string, content: Readable, isFull: () => Promise<boolean>): Promise<number> {
  let size = 0;
  let measuredAt = 0;
  const file = await open(path, 'wx', 0o644);
  try {
    // A stream that is left before its end is not destroyed: it may be a request, whose connection carries
    // the error. The chunks of a binary stream are buffers.
    const chunks: AsyncIterable<Buffer> = content.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > MAX_DOWNLOADS_BYTES) throw fullError();
      await file.writeFile(chunk);
      if (size - measuredAt < MEASURE_BYTES) continue;
      measuredAt = size;
      if (await isFull()) throw fullError();
    }
  } finally {
    await file.close();
  }
  if (await isFull()) throw fullError();
  return size;
}

const fullError = () =>
  new ServiceError(
    'REQUEST_TOO_LARGE',
    `The file was not stored, because the session would have more than ${MAX_DOWNLOADS_BYTES / 1024 / 1024} MiB or 10,000 files with it. Delete files in /downloads by code, or start another session.`,
  );
