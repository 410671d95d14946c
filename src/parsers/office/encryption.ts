import { DocumentError } from '../document-error.ts';

/** Signature of a compound file, and the name of the stream that contains an encrypted document (MS-OFFCRYPTO). */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Refuses an encrypted Office Open XML document. It is a compound file, which parsers of its type call damaged or
 * unsupported.
 * @throws DocumentError
 */
export function refuseEncrypted(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.subarray(0, COMPOUND.length).equals(COMPOUND) && file.includes(ENCRYPTED))
    throw new DocumentError('password', 'The document needs a password.');
}
