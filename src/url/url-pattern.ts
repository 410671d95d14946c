import { RE2JS, RE2JSException } from 're2js';
import { ServiceError } from '../errors.ts';

/** Maximum number of patterns in one list. */
export const MAX_PATTERNS = 1_000;
/** Maximum number of characters of one pattern. */
const MAX_PATTERN_CHARACTERS = 2_000;
/** Maximum number of characters of all patterns of one list together. */
const MAX_LIST_CHARACTERS = 100_000;

/**
 * Maximum program size of one compiled pattern, which determines the cost of a match. A pattern for a UUID
 * has about 50 steps.
 */
const MAX_STEPS = 2_000;
/** Maximum program size of all patterns of one list together. */
const MAX_LIST_STEPS = 100_000;
/**
 * Maximum estimated program size (characters times repetitions), checked first because compiling a larger
 * pattern takes long.
 */
const MAX_ESTIMATED_STEPS = 100_000;
/** Maximum repetition count in RE2 syntax, with nested repetitions multiplied. */
const MAX_REPETITIONS = 1_000;

const SYNTAX =
  'Patterns are regular expressions in RE2 syntax: no look-around, no back-references, and .* (not * alone) matches any text.';

function estimateSteps(text: string): number {
  let repetitions = 1;
  for (const [, low, high] of text.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    repetitions *= Math.max(1, Number(high || low));
    if (repetitions > MAX_REPETITIONS) return text.length * MAX_REPETITIONS;
  }
  return text.length * repetitions;
}

/** Compiles a pattern. @returns the compiled pattern, or an error message */
function compilePattern(text: string): RE2JS | string {
  if (text.length > MAX_PATTERN_CHARACTERS)
    return `The pattern ${quote(text)} has ${text.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed.`;
  const tooComplex = `The pattern ${quote(text)} repeats too much to be matched quickly. Use smaller numbers in {…}.`;
  if (estimateSteps(text) > MAX_ESTIMATED_STEPS) return tooComplex;
  try {
    const pattern = RE2JS.compile(text);
    return pattern.programSize() > MAX_STEPS ? tooComplex : pattern;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    return `The pattern ${quote(text)} cannot be read: ${reason}. ${SYNTAX}`;
  }
}

const quote = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/**
 * Validates a pattern for `includePaths` and `excludePaths`.
 * @returns an error message, or `undefined` for a valid pattern
 */
export function validatePattern(text: string): string | undefined {
  const compiled = compilePattern(text);
  return typeof compiled === 'string' ? compiled : undefined;
}

/** Validates a list of patterns. @returns an error message, or `undefined` for a valid list */
export function validatePatterns(texts: readonly string[]): string | undefined {
  if (texts.length > MAX_PATTERNS)
    return `${texts.length} patterns were sent; at most ${MAX_PATTERNS} are allowed.`;
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_LIST_CHARACTERS)
    return `The patterns have ${characters} characters together; at most ${MAX_LIST_CHARACTERS} are allowed.`;
  let steps = 0;
  for (const text of texts) {
    const compiled = compilePattern(text);
    if (typeof compiled === 'string') return compiled;
    steps += compiled.programSize();
    if (steps > MAX_LIST_STEPS)
      return 'The patterns are too complex together. Use fewer, or smaller numbers in {…}.';
  }
  return undefined;
}

/**
 * Compiles a list of patterns to a function that reports whether any of them matches anywhere in a text.
 * Matching takes linear time in the text and the patterns.
 * @throws ServiceError `BAD_REQUEST` for an invalid pattern
 */
export function compilePatterns(texts: readonly string[]): (text: string) => boolean {
  const patterns = texts.map((text) => {
    const compiled = compilePattern(text);
    if (typeof compiled === 'string') throw new ServiceError('BAD_REQUEST', compiled);
    return compiled;
  });
  return (text) => patterns.some((pattern) => pattern.test(text));
}
