/** Why a document cannot be converted. */
export type OfficeFault = 'password' | 'damaged' | 'unsupported' | 'too-large';

/** The document is the cause of the failure, so a retry fails in the same way. */
export class OfficeError extends Error {
  readonly fault: OfficeFault;

  constructor(fault: OfficeFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OfficeError';
    this.fault = fault;
  }
}

const FAULTS: Record<string, OfficeFault> = {
  encrypted: 'password',
  unsupported: 'unsupported',
  resourceLimit: 'too-large',
};
const MESSAGES: Record<OfficeFault, string> = {
  password: 'The document needs a password.',
  damaged: 'The document is damaged and cannot be read.',
  unsupported: 'The version of the document format is not supported.',
  'too-large': 'The expanded document is too large or too deeply nested.',
};

/** Converts an error of anydoc, whose property `code` tells the cause. */
export function toOfficeError(error: unknown): OfficeError {
  if (error instanceof OfficeError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fault = FAULTS[code] ?? 'damaged';
  return new OfficeError(fault, MESSAGES[fault], { cause: error });
}
