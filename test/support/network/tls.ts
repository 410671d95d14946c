import { readFileSync } from 'node:fs';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/**
 * Key and certificate, both PEM, for localhost, secure.test and 127.0.0.1; valid from 2020 to 2120,
 * self-signed.
 */
export const SELF_SIGNED = read('tls-self-signed.pem');

/** The same for localhost and 127.0.0.1, valid in 2020 only. */
export const EXPIRED = read('tls-expired.pem');

/**
 * The same for localhost and 127.0.0.1, as a server or a client shows it, signed by {@link AUTHORITY}; valid
 * until 2126.
 */
export const SIGNED = read('tls-signed.pem');

/** The certificate of the authority. */
export const AUTHORITY = read('tls-authority.pem');

/** The options of an HTTPS server that shows such a certificate. */
export function tlsOptions(pem: string): { key: string; cert: string } {
  return { key: pem, cert: pem };
}
