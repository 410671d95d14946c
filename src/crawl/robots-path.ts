/** Letters that mean the same with and without `%XX` (RFC 3986 2.3). */
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
/** A sequence that is encoded already, or a letter that must be. An apostrophe is encoded in queries only: here always. */
const TO_NORMALIZE = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&()*+,;=%]/gu;

function normalizePart(part: string): string {
  if (part.length === 3 && part.startsWith('%')) {
    const letter = String.fromCharCode(parseInt(part.slice(1), 16));
    return UNRESERVED.test(letter) ? letter : part.toUpperCase();
  }
  return [...Buffer.from(part)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** One spelling for every way to percent-encode (RFC 9309 2.2.2). */
function normalize(text: string): string {
  return text.replace(TO_NORMALIZE, normalizePart);
}

/** Path and query of an address, ready to be held against rules; the special signs of rules are letters here. */
export function normalizePath(path: string): string {
  return normalize(path).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/**
 * Makes a rule's path (RFC 9309 2.2.3: `*` is anything, `$` at the end is the end) a question to a normalised path.
 * Linear in path and rule: the parts between stars are looked for one after another, which finds a match if there is one.
 */
export function pathMatcher(rule: string): (path: string) => boolean {
  const toEnd = rule.endsWith('$');
  const parts = normalize(toEnd ? rule.slice(0, -1) : rule)
    .replaceAll('$', '%24')
    .split(/\*+/);
  const [start = '', ...others] = parts;
  if (others.length === 0) return toEnd ? (path) => path === start : (path) => path.startsWith(start);
  const last = toEnd ? others.pop()! : ''; // there is one: `others` is not empty
  return (path) => {
    if (!path.startsWith(start)) return false;
    let at = start.length;
    for (const part of others) {
      const found = path.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return path.length - last.length >= at && path.endsWith(last);
  };
}
