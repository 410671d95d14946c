import { ServiceError } from '../errors.ts';
import { compileLinear, findExcess, type LinearPattern, quotePattern } from './linear-pattern.ts';
import { literalPatternOf, patternOfGlob, patternOfLiteral } from './other-syntax.ts';

/** Maximum number of patterns in one list. */
export const MAX_PATTERNS = 1_000;

const SYNTAX =
  'Patterns are regular expressions in RE2 syntax: no look-around, no back-references, and .* (not * alone) matches any text.';

/**
 * Validates a list of patterns in RE2 syntax, such as `includePaths`.
 * @returns an error message, or `undefined` for a valid list
 */
export function validatePatterns(texts: readonly string[]): string | undefined {
  if (texts.length > MAX_PATTERNS)
    return `${texts.length} patterns were sent; at most ${MAX_PATTERNS} are allowed.`;
  const excess = findExcess(texts);
  if (excess !== undefined) return excess;
  for (const text of texts) {
    const compiled = compileLinear(text);
    if (typeof compiled === 'string') return faultOf(text, compiled);
    const plain = patternOfLiteral(text);
    if (plain !== undefined)
      return `The pattern ${quotePattern(text)} has the slashes and flags of JavaScript, which would have to be in the path. Write ${quotePattern(plain)}.`;
  }
  return undefined;
}

function faultOf(text: string, fault: string): string {
  const meant = patternOfGlob(text) ?? literalPatternOf(text) ?? withoutLookahead(text);
  const excluded = excludedIn(text);
  const others =
    excluded === undefined
      ? ''
      : ` What it shuts out goes into excludePaths, such as ${quotePattern(excluded)}.`;
  const advice = meant === undefined ? '' : ` Write ${quotePattern(meant)}.${others}`;
  return `The pattern ${quotePattern(text)} ${fault}.${advice} ${SYNTAX}`;
}

/** A look-ahead or look-behind that shuts a text out. */
const SHUTS_OUT = /\(\?<?!([^()]+)\)/;

/** A pattern without the look-ahead that it must not have; undefined for others, or if it still cannot be read. */
function withoutLookahead(text: string): string | undefined {
  const plain = (patternOfLiteral(text) ?? text).replace(SHUTS_OUT, '');
  if (!SHUTS_OUT.test(text)) return undefined;
  return typeof compileLinear(plain) === 'string' ? undefined : plain;
}

/** What a look-ahead shuts out, with what stands before it. */
function excludedIn(text: string): string | undefined {
  const plain = patternOfLiteral(text) ?? text;
  const found = SHUTS_OUT.exec(plain);
  if (!found) return undefined;
  const pattern = plain.slice(0, found.index) + found[1];
  return typeof compileLinear(pattern) === 'string' ? undefined : pattern;
}

/**
 * Compiles a list of patterns in RE2 syntax to one that matches where any of them does.
 * @throws ServiceError `BAD_REQUEST` for an invalid pattern
 */
export function compilePatterns(texts: readonly string[]): LinearPattern {
  const patterns = texts.map((text) => {
    const compiled = compileLinear(text);
    if (typeof compiled === 'string') throw new ServiceError('BAD_REQUEST', faultOf(text, compiled));
    return compiled;
  });
  return {
    steps: patterns.reduce((sum, { steps }) => sum + steps, 0),
    matches: (text) => patterns.some((pattern) => pattern.matches(text)),
  };
}
