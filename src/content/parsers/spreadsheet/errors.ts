import { DocumentError } from '../document-error.ts';

/** Converts an error of SheetJS. It has no error codes, so the message tells a missing password. */
export function toDocumentError(error: unknown): DocumentError {
  if (error instanceof DocumentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return /password|encrypt/i.test(message)
    ? new DocumentError('password', 'The workbook needs a password.', { cause: error })
    : new DocumentError('damaged', 'The workbook is damaged and cannot be read.', { cause: error });
}
