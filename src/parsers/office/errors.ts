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

/** Signature of a compound file, and the name of the stream that contains an encrypted document (MS-OFFCRYPTO). */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** @throws OfficeError if the document is an encrypted docx file, which anydoc calls unsupported */
export function refuseEncrypted(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.subarray(0, COMPOUND.length).equals(COMPOUND) && file.includes(ENCRYPTED))
    throw new OfficeError('password', MESSAGES.password);
}

/** Converts an error of anydoc, whose property `code` tells the cause. */
export function toOfficeError(error: unknown): OfficeError {
  if (error instanceof OfficeError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fault = FAULTS[code] ?? 'damaged';
  return new OfficeError(fault, MESSAGES[fault], { cause: error });
}
