import { DocumentError } from '../document-error.ts';

/** The error of a PDF or image; its fault is `password`, `damaged` or `needs-ocr`. */
export class PdfError extends DocumentError {
  override readonly name = 'PdfError';
}

/**
 * Converts an error of liteparse or PDF.js. Neither has error codes, so the message tells a missing password.
 */
export function toPdfError(error: unknown): PdfError {
  if (error instanceof PdfError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return /password/i.test(message)
    ? new PdfError('password', 'The PDF needs a password.', { cause: error })
    : new PdfError('damaged', `The PDF cannot be read: ${message}`, { cause: error });
}
