/** Why a document cannot be converted. `empty` means that it is damaged and no text could be recovered. */
export type PdfFault = 'password' | 'damaged' | 'empty';

/** The document is the cause of the failure, so a retry fails in the same way. */
export class PdfError extends Error {
  readonly fault: PdfFault;

  constructor(fault: PdfFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PdfError';
    this.fault = fault;
  }
}

/** Converts an error of liteparse or PDF.js. Neither has error codes, so the message tells a missing password. */
export function toPdfError(error: unknown): PdfError {
  if (error instanceof PdfError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return /password/i.test(message)
    ? new PdfError('password', 'The PDF needs a password.', { cause: error })
    : new PdfError('damaged', `The PDF cannot be read: ${message}`, { cause: error });
}
