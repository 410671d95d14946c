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
