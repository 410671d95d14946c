import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { messageOf, ServiceError } from '../errors.ts';
import type { ApiResponse } from './api-client.ts';
import { unwritable } from './output-file.ts';

/** Writes the documents of a job, each as JSON text. */
export interface ResultWriter {
  /** Writes one document; resolves when the next one can be written. */
  add(json: string): Promise<void>;
  /**
   * Writes the end of the output.
   * @param head the job's status without documents
   * @throws ServiceError when something could not be written, now or before
   */
  end(head: ApiResponse): Promise<void>;
  /** Aborted when writing has become impossible: the reader is gone, or the disk is full. */
  gone: AbortSignal;
}

/** Options of {@link openResultWriter}. */
export interface ResultWriterOptions {
  /** Path of a file; `undefined` for stdout. */
  file: string | undefined;
  /** Writes one JSON object with the documents as its `data`, instead of one document per line. */
  asOneObject: boolean;
}

/**
 * Opens stdout or a file for results.
 * @throws ServiceError `BAD_REQUEST` when the file cannot be written
 */
export async function openResultWriter({ file, asOneObject }: ResultWriterOptions): Promise<ResultWriter> {
  const stream = file === undefined ? process.stdout : await openFile(file);
  const gone = new AbortController();
  stream.on('error', (error) => gone.abort(error));
  let count = 0;

  const write = async (text: string) => {
    if (gone.signal.aborted || stream.write(text)) return;
    // `end` reports the error, which is the reason of `gone`.
    await once(stream, 'drain', { signal: gone.signal }).catch(() => undefined);
  };
  return {
    gone: gone.signal,
    add(json) {
      const before = asOneObject ? (count ? ',\n' : '{"data":[\n') : '';
      count++;
      return write(`${before}${json}${asOneObject ? '' : '\n'}`);
    },
    async end(head) {
      // The status is known last, so it follows the documents, which need not be kept in memory.
      if (asOneObject) await write(`${count ? '\n' : '{"data":['}],${JSON.stringify(head).slice(1)}\n`);
      if (file !== undefined && !gone.signal.aborted) {
        stream.end();
        // Its error has aborted `gone` and is thrown below.
        await finished(stream).catch(() => undefined);
      }
      const { reason } = gone.signal;
      // A reader that closes the pipe is not an error.
      if (!reason || reason.code === 'EPIPE') return;
      throw new ServiceError('UNKNOWN_ERROR', `The results cannot be written: ${messageOf(reason)}.`);
    },
  };
}

async function openFile(path: string) {
  try {
    return (await open(path, 'w')).createWriteStream();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}
