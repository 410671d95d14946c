import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { commandOf } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { MAX_UPLOAD_BYTES } from '../schemas/parse.ts';
import { fileFault } from './file-fault.ts';

const MB = 1024 * 1024;

/**
 * Opens a file of this machine that is to be uploaded. Its bytes are read when it is sent.
 * @throws ServiceError `BAD_REQUEST` if it cannot be read, or is no file; `REQUEST_TOO_LARGE` if no request may be as
 * large
 */
export async function openFile(file: string): Promise<Blob> {
  const unreadable = (reason: string, cause?: unknown) =>
    new ServiceError('BAD_REQUEST', `${file} cannot be read: ${reason}.`, { cause });
  if (/^https?:\/\//i.test(file)) throw unreadable(`it is a URL. Use \`${commandOf(`scrape ${file}`)}\``);
  const stats = await stat(file).catch((cause: unknown) => {
    const lastPage = /^(?:\d+-)?(\d+)$/.exec(file)?.[1];
    const advice = lastPage ? `. For the first pages of a PDF, use --max-pages ${lastPage}` : '';
    throw unreadable(fileFault(cause, 'read') + advice, cause);
  });
  if (stats.isDirectory()) throw unreadable('it is a directory. Name one file in it');
  // A device or a pipe may have no end.
  if (!stats.isFile()) throw unreadable('it is a device, a pipe or a socket, and no file');
  if (stats.size > MAX_UPLOAD_BYTES) {
    const size = Math.ceil(stats.size / MB);
    throw new ServiceError(
      'REQUEST_TOO_LARGE',
      `${file} has ${size} MB; a file may have at most ${MAX_UPLOAD_BYTES / MB} MB. Split it into smaller files.`,
    );
  }
  try {
    const blob = await openAsBlob(file);
    await blob.slice(0, 1).arrayBuffer();
    return blob;
  } catch (cause) {
    throw unreadable(fileFault(cause, 'read'), cause);
  }
}
