/** Why a document cannot be converted: it needs a password, or nothing of it can be read. */
export type PdfFault = 'password' | 'damaged' | 'empty';

/** A failure that is the document's own and that a retry does not change. */
export class PdfError extends Error {
  readonly fault: PdfFault;

  constructor(fault: PdfFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PdfError';
    this.fault = fault;
  }
}

/** The typed form of a failure of a reader. */
export function toPdfError(error: unknown): PdfError {
  if (error instanceof PdfError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return /password/i.test(message)
    ? new PdfError('password', 'The PDF needs a password.', { cause: error })
    : new PdfError('damaged', `The PDF cannot be read: ${message}`, { cause: error });
}
