import { createHash } from 'node:crypto';
import { base32 } from './base32.ts';

/** The SHA-1 of a text or bytes in Base32, by which web archives and their indexes recognise the same content. */
export const contentDigest = (content: string | Uint8Array): string =>
  base32(createHash('sha1').update(content).digest());
