import { RE2JS, RE2JSException } from 're2js';
import { ServiceError } from './errors.ts';

/** Most patterns in one list. */
const MAX_PATTERNS = 1_000;
/** Most characters of one pattern. */
const MAX_PATTERN_CHARACTERS = 2_000;
/** Most characters of all patterns of one list. */
const MAX_LIST_CHARACTERS = 100_000;

/** Steps of one compiled pattern; what a match costs grows with them. A pattern for a UUID has about 50. */
const MAX_STEPS = 2_000;
/** Steps of all patterns of one list. */
const MAX_LIST_STEPS = 100_000;
/** Its steps by estimate, before it is compiled: that itself takes long for more. Characters times repetitions. */
const MAX_ESTIMATED_STEPS = 100_000;
/** What the dialect allows one part to be repeated, nested repetitions multiplied. */
const MAX_REPETITIONS = 1_000;

const SYNTAX =
  'Patterns are regular expressions in RE2 syntax: no look-around, no back-references, and .* (not * alone) stands for anything.';

function estimateSteps(text: string): number {
  let repetitions = 1;
  for (const [, low, high] of text.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    repetitions *= Math.max(1, Number(high || low));
    if (repetitions > MAX_REPETITIONS) return text.length * MAX_REPETITIONS;
  }
  return text.length * repetitions;
}

/** @returns the compiled pattern, or why there is none */
function compile(text: string): RE2JS | string {
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

/** Says why a text is no pattern for `includePaths` and `excludePaths`; `undefined` when it is one. */
export function checkPattern(text: string): string | undefined {
  const compiled = compile(text);
  return typeof compiled === 'string' ? compiled : undefined;
}

/** The same for a whole list, with the limits of lists. */
export function checkPatterns(texts: readonly string[]): string | undefined {
  if (texts.length > MAX_PATTERNS)
    return `${texts.length} patterns are given; at most ${MAX_PATTERNS} are allowed.`;
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_LIST_CHARACTERS)
    return `The patterns have ${characters} characters together; at most ${MAX_LIST_CHARACTERS} are allowed.`;
  let steps = 0;
  for (const text of texts) {
    const compiled = compile(text);
    if (typeof compiled === 'string') return compiled;
    steps += compiled.programSize();
    if (steps > MAX_LIST_STEPS)
      return 'The patterns are too complex together. Use fewer, or smaller numbers in {…}.';
  }
  return undefined;
}

/**
 * Makes a list of patterns a question: does any of them match anywhere in this text? Linear in text and patterns.
 * @throws ServiceError `BAD_REQUEST` for a list that `checkPatterns` finds fault with
 */
export function matcherOf(texts: readonly string[]): (text: string) => boolean {
  const patterns = texts.map((text) => {
    const compiled = compile(text);
    if (typeof compiled === 'string') throw new ServiceError('BAD_REQUEST', compiled);
    return compiled;
  });
  return (text) => patterns.some((pattern) => pattern.test(text));
}
