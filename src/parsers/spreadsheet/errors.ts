/** Why a workbook cannot be converted. */
export type SpreadsheetFault = 'password' | 'damaged' | 'too-large';

/** The workbook is the cause of the failure, so a retry fails in the same way. */
export class SpreadsheetError extends Error {
  readonly fault: SpreadsheetFault;

  constructor(fault: SpreadsheetFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SpreadsheetError';
    this.fault = fault;
  }
}

/** Converts an error of SheetJS. It has no error codes, so the message tells a missing password. */
export function toSpreadsheetError(error: unknown): SpreadsheetError {
  if (error instanceof SpreadsheetError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return /password|encrypt/i.test(message)
    ? new SpreadsheetError('password', 'The workbook needs a password.', { cause: error })
    : new SpreadsheetError('damaged', `The workbook cannot be read: ${message}`, { cause: error });
}
