import { closeSync, lstatSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { ServiceError } from '../errors.ts';
import { fileFault } from './file-fault.ts';

/**
 * Checks that a result can be written to a file, before the work for it is done and paid for. The file stays
 * as it is.
 * @param file `undefined` for stdout
 * @throws ServiceError `BAD_REQUEST` if it cannot be written
 */
export function requireWritable(file: string | undefined): void {
  if (file === undefined || isPipeOrDevice(file)) return;
  const isNew = !lstatSync(file, { throwIfNoEntry: false });
  try {
    closeSync(openSync(file, 'a'));
    if (isNew) rmSync(file);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** The error for a file of results that cannot be opened. */
export const unwritable = (file: string, cause: unknown) =>
  new ServiceError('BAD_REQUEST', `${file} cannot be written: ${fileFault(cause, 'write')}.`, { cause });

/** To open a pipe would wait for its reader. */
function isPipeOrDevice(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/**
 * Writes a result to a file, or to stdout without one.
 * @throws ServiceError if the file cannot be written any more; the result is then on stdout
 */
export function writeResult(text: string, file: string | undefined): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (cause) {
    process.stdout.write(text);
    const message = `${file} could not be written: ${fileFault(cause, 'write')}. The result is on standard output.`;
    throw new ServiceError('UNKNOWN_ERROR', message, { cause });
  }
}
