/** Characters that mean the same with and without percent-encoding (RFC 3986 2.3). */
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
/**
 * A percent-encoded sequence, or a character that must be encoded. URL parsers encode an apostrophe only in
 * queries; here it is always encoded, so that both spellings match.
 */
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

/** Normalizes percent-encoding, so that all spellings of a path compare equal (RFC 9309 2.2.2). */
function normalize(text: string): string {
  return text.replace(TO_NORMALIZE, normalizePart);
}

/**
 * Normalizes the path and query of a URL for comparison with rules. `*` and `$` are encoded, because they are
 * special characters only in rules.
 */
export function normalizePath(path: string): string {
  return normalize(path).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/**
 * Creates a function that tests whether a normalized path matches a rule's path. In the rule, `*` matches any
 * characters and a trailing `$` matches the end of the path (RFC 9309 2.2.3). The test takes linear time: the
 * parts between the stars are searched from left to right, and taking the first occurrence of each never
 * misses a match.
 */
export function pathMatcher(rule: string): (path: string) => boolean {
  const isAnchored = rule.endsWith('$');
  const parts = normalize(isAnchored ? rule.slice(0, -1) : rule)
    .replaceAll('$', '%24')
    .split(/\*+/);
  const [start = '', ...others] = parts;
  if (others.length === 0) return isAnchored ? (path) => path === start : (path) => path.startsWith(start);
  const last = isAnchored ? others.pop()! : ''; // `others` is not empty here
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
