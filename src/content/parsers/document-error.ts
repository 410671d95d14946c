/**
 * Why a document cannot be converted. `unsupported` is a version or variant of the format that nothing here
 * reads, `too-large` a document beyond the limits of its parser, `unavailable` a parser that this machine
 * does not have, and `needs-ocr` a document without any text that is read without OCR.
 */
export const DOCUMENT_FAULTS = [
  ...(['password', 'damaged', 'unsupported', 'too-large', 'unavailable', 'needs-ocr'] as const),
];
export type DocumentFault = (typeof DOCUMENT_FAULTS)[number];

/** The document, not the service, is the cause of the failure, so a retry fails in the same way. */
export class DocumentError extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DocumentError';
    this.fault = fault;
  }
}
