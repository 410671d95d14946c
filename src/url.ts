import { isIP } from 'node:net';
import normalizeUrl from 'normalize-url';
import { ServiceError } from './errors.ts';

/** No server takes more, and what is longer is a mistake. */
const MOST_CHARACTERS = 16_384;
/** RFC 1035 2.3.4. */
const MOST_HOST_CHARACTERS = 253;

function refuse(message: string): never {
  throw new ServiceError('BAD_REQUEST', message, { details: [{ code: 'custom', path: ['url'], message }] });
}

/**
 * Reads an address as a user writes it: blanks around it go, a missing scheme becomes `http://`.
 * @param allowLocalNames whether a name of one label (`localhost`, `wiki`) may be meant
 * @returns the address, parsed
 * @throws ServiceError `BAD_REQUEST` for anything that is no web address
 */
export function parseTarget(text: string, allowLocalNames: boolean): URL {
  const trimmed = text.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    refuse(`URL uses unsupported protocol: ${scheme}. Only http and https can be fetched.`);
  }
  if (trimmed.length > MOST_CHARACTERS)
    refuse(`URL is longer than ${MOST_CHARACTERS} characters: ${trimmed.slice(0, 200)}…`);
  const url = URL.parse(scheme === undefined ? `http://${trimmed}` : trimmed);
  if (!url || /\s/.test(trimmed)) refuse(`Invalid URL: ${trimmed.slice(0, 200)}`);
  if (url.hostname.length > MOST_HOST_CHARACTERS)
    refuse(`The host of the URL is no name: ${trimmed.slice(0, 200)}…`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 && !allowLocalNames && !/\.[a-z0-9-]*[a-z][a-z0-9-]*\.?$/i.test(host)) {
    refuse(`URL must have a valid top-level domain or be an IP address: ${trimmed.slice(0, 200)}`);
  }
  return url;
}

/** One spelling for addresses that name the same page, to compare and to find again; never to fetch. */
export function normalizeTarget(url: string): string {
  return normalizeUrl(url, {
    stripWWW: false,
    stripHash: true,
    removeTrailingSlash: true,
    removeQueryParameters: [],
    sortQueryParameters: true,
  });
}

/**
 * Whether what was sent to one address may be sent to another: to the same origin, and to the same host by https
 * instead of http, as sites without a scheme redirect.
 */
export function mayShare(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const upgraded = from.protocol === 'http:' && to.protocol === 'https:';
  return upgraded && from.hostname === to.hostname && !from.port && !to.port;
}
