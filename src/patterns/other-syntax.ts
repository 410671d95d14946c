/** A pattern of letters and stars, as command lines and other crawlers have it: `*.pdf`, `/blog/**`. */
const GLOB = /^(?=.*\*)[\w./*-]+$/;
/**
 * A literal of JavaScript that begins with the beginning of a path or a slash, such as `/\/blog\//i`. As a pattern it
 * would match nothing, but `/blog\/2026/` would.
 */
const LITERAL = /^\/((?:\^|\\\/).*)\/([a-z]*)$/;

/**
 * Translates a glob to a regular expression for paths.
 * @returns undefined for a text that is no glob
 */
export function patternOfGlob(text: string): string | undefined {
  if (!GLOB.test(text)) return undefined;
  const [, begin = '', inner = '', end = ''] = /^(\**\/?)(.*?)(\/?\**)$/.exec(text) ?? [];
  const pattern = inner
    .replace(/\./g, '\\.')
    .replace(/\*\*\/?|\*/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  return (
    (begin === '/' ? '^/' : begin.endsWith('/') ? '/' : '') +
    pattern +
    end.replace(/\*+/, '') +
    (end ? '' : '$')
  );
}

/**
 * Translates a regular expression with the slashes and flags of JavaScript to one without.
 * @returns undefined for a text that has none
 */
export function patternOfLiteral(text: string): string | undefined {
  const [, body, flags] = LITERAL.exec(text) ?? [];
  return body && `${flags?.includes('i') ? '(?i)' : ''}${body.replace(/\\\//g, '/')}`;
}

/**
 * Escapes a part of a URL that is no regular expression because of its query, such as `?page=`.
 * @returns undefined for a text with other signs of regular expressions
 */
export const literalPatternOf = (text: string): string | undefined =>
  /^[\w./?&=%:+-]+$/.test(text) ? text.replace(/[.?+]/g, '\\$&') : undefined;
