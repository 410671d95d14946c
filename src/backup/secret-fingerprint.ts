import { hkdfSync } from 'node:crypto';

/** Derives from a secret key what tells whether another one is the same, and from which it cannot be found. */
export const fingerprintSecret = (secretKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'winnow backup fingerprint', 8)).toString('hex');
