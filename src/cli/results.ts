import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { messageOf, ServiceError } from '../errors.ts';
import type { Answer } from './request.ts';

/** Where the documents of a job go, one JSON text each. */
export interface Results {
  /** Writes one; resolves when there is room for the next. */
  add(json: string): Promise<void>;
  /**
   * Writes what comes after the last document.
   * @param head the job's status without documents
   * @throws ServiceError when something could not be written, now or before
   */
  end(head: Answer): Promise<void>;
  /** Fires when nothing can be written any more: the reader has gone, the disk is full. */
  gone: AbortSignal;
}

/** How results are written. */
export interface ResultsOptions {
  /** A file; otherwise stdout. */
  file: string | undefined;
  /** One JSON object with the documents as its `data`, in place of a document a line. */
  whole: boolean;
}

/**
 * Opens the place for results.
 * @throws ServiceError `BAD_REQUEST` when the file cannot be written
 */
export async function openResults({ file, whole }: ResultsOptions): Promise<Results> {
  const stream = file === undefined ? process.stdout : await openFile(file);
  const gone = new AbortController();
  stream.on('error', (error) => gone.abort(error));
  let count = 0;

  const write = async (text: string) => {
    if (gone.signal.aborted || stream.write(text)) return;
    // What went wrong is in `gone`, for the end.
    await once(stream, 'drain', { signal: gone.signal }).catch(() => undefined);
  };
  return {
    gone: gone.signal,
    add(json) {
      const before = whole ? (count ? ',\n' : '{"data":[\n') : '';
      count++;
      return write(`${before}${json}${whole ? '' : '\n'}`);
    },
    async end(head) {
      // The head is known last: so the documents stand before it, and are never held.
      if (whole) await write(`${count ? '\n' : '{"data":['}],${JSON.stringify(head).slice(1)}\n`);
      if (file !== undefined && !gone.signal.aborted) {
        stream.end();
        await finished(stream).catch(() => undefined);
      }
      const { reason } = gone.signal;
      // A reader that has seen enough is no error.
      if (!reason || reason.code === 'EPIPE') return;
      throw new ServiceError('UNKNOWN_ERROR', `The results cannot be written: ${messageOf(reason)}.`);
    },
  };
}

async function openFile(path: string) {
  try {
    return (await open(path, 'w')).createWriteStream();
  } catch (cause) {
    throw new ServiceError('BAD_REQUEST', `${path} cannot be written: ${messageOf(cause)}.`, { cause });
  }
}
