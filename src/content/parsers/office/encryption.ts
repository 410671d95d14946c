import { toBuffer } from '../../source-text.ts';
import { isCompoundFile } from '../compound-file.ts';
import { DocumentError } from '../document-error.ts';

/** The name of the stream that contains an encrypted document (MS-OFFCRYPTO). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Refuses an encrypted Office Open XML document. It is a compound file, which parsers of its type call
 * damaged or unsupported.
 * @throws DocumentError
 */
export function refuseEncrypted(bytes: Uint8Array): void {
  const file = toBuffer(bytes);
  if (isCompoundFile(file) && file.includes(ENCRYPTED))
    throw new DocumentError('password', 'The document needs a password.');
}
