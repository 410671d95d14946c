import { isIP } from 'node:net';
import normalizeUrl from 'normalize-url';
import { excerpt, ServiceError } from '../errors.ts';

/** Servers accept no longer URLs. */
const MAX_URL_CHARACTERS = 16_384;
/** Maximum length of a host name (RFC 1035 2.3.4). */
const MAX_HOST_CHARACTERS = 253;

function refuse(message: string): never {
  throw new ServiceError('BAD_REQUEST', message, { details: [{ code: 'custom', path: ['url'], message }] });
}

/**
 * Parses a URL as users write it: surrounding white space is removed, and a missing scheme becomes `http://`.
 * @param allowLocalNames whether host names of one label (`localhost`, `wiki`) are accepted
 * @throws ServiceError `BAD_REQUEST` for anything that is not an http or https URL
 */
export function parseTarget(text: string, allowLocalNames: boolean): URL {
  const trimmed = text.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    // A scheme of one letter is a drive of Windows.
    const isFile = scheme === 'file' || scheme === 'data' || scheme.length === 1;
    const advice = isFile ? ' Send a file to POST /v2/parse.' : '';
    refuse(`URL uses unsupported protocol: ${excerpt(scheme)}. Only http and https can be fetched.${advice}`);
  }
  if (trimmed.length > MAX_URL_CHARACTERS)
    refuse(`URL is longer than ${MAX_URL_CHARACTERS} characters: ${excerpt(trimmed)}`);
  const url = URL.parse(scheme === undefined ? `http://${trimmed}` : trimmed);
  const fault = findFault(trimmed, url);
  if (!url || fault)
    refuse(`Invalid URL: ${excerpt(trimmed)}. ${fault ?? 'Write it as https://example.com/page.'}`);
  if (url.hostname.length > MAX_HOST_CHARACTERS)
    refuse(`The host name of the URL is too long: ${excerpt(trimmed)}`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 && !allowLocalNames && !/\.[a-z0-9-]*[a-z][a-z0-9-]*\.?$/i.test(host)) {
    refuse(
      `URL must have a valid top-level domain or be an IP address: ${excerpt(trimmed)}. The operator of this service can allow names such as localhost with WINNOW_ALLOW_PRIVATE.`,
    );
  }
  return url;
}

/** A name that is of a file alone, because no host ends like that. */
const FILE_NAME = /^[^/:?#]+\.(pdf|docx?|xlsx?|pptx?|odt|rtf|html?|txt|csv|png|jpe?g)$/i;

/** Says what is wrong with a text that is no URL, and how it is written; undefined if nothing special is. */
function findFault(text: string, url: URL | null): string | undefined {
  if (!text) return 'It is empty; write one such as https://example.com.';
  if (/^["'<`]|["'>`]$/.test(text)) return 'Leave out the quotes around it.';
  const urls = text.match(/https?:\/\/[^\s,;()[\]]+/gi) ?? [];
  if (urls.length > 1 && /[\s,;]https?:\/\//i.test(text) && /\s/.test(text))
    return 'It is several URLs. Send one; a batch takes several.';
  if (/^\[[^\]]*\]\([^\s)]+\)$/.test(text) && urls[0])
    return `It is a link of markdown. Write ${excerpt(urls[0])}`;
  if (/^https?\/\//i.test(text)) return 'Write :// after http or https.';
  const blank = /\s/.exec(text)?.index;
  if (blank !== undefined) {
    const [before = '', host = ''] = /^(?:https?:\/\/)?([^/?#]*)/i.exec(text) ?? [];
    if (blank >= before.length) return 'It has white space; write a blank as %20.';
    return host.includes('.')
      ? 'Its host has white space; write it without, such as https://example.com/page.'
      : 'It is words, and no URL. Write one such as https://example.com; POST /v2/search finds pages by words.';
  }
  if (FILE_NAME.test(text)) return 'It is the name of a file; send a file to POST /v2/parse.';
  if (/^\/(?!\/)/.test(text)) return 'It has no host; write it whole, as https://example.com/page.';
  if (/^(https?:\/\/)https?:\/?\/?/i.test(text)) return 'It has two schemes; leave the first one out.';
  if (url) return undefined;
  const port = /:(\d+)(?:[/?#]|$)/.exec(text)?.[1];
  return port && Number(port) > 65_535 ? `Its port is ${excerpt(port)}; ports end at 65535.` : undefined;
}

/** Normalizes a URL so that URLs of the same page compare equal. The result is a key and is never fetched. */
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
 * Whether the user's headers for one URL may be sent to another: to the same origin, and from http to https
 * on the same host, where URLs without a scheme are often redirected.
 */
export function canForwardHeaders(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const upgraded = from.protocol === 'http:' && to.protocol === 'https:';
  return upgraded && from.hostname === to.hostname && !from.port && !to.port;
}
