import { RE2JS, RE2JSException } from 're2js';

/** A regular expression whose matching takes linear time, whatever the pattern and the text. */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in a text, in at most `steps` steps for each of its characters. */
  matches(text: string): boolean;
  /** The size of the compiled program. */
  steps: number;
}

/** Maximum number of characters of one pattern. */
const MAX_PATTERN_CHARACTERS = 2_000;
/**
 * Maximum program size of one compiled pattern, which determines the cost of a match. A pattern for a UUID
 * has about 50 steps.
 */
const MAX_STEPS = 2_000;
/** Maximum estimated program size, checked first because compiling a larger pattern takes long. */
const MAX_ESTIMATED_STEPS = 10_000;
/** Maximum estimated program size of all patterns of one request together. */
const MAX_ESTIMATED_STEPS_TOGETHER = 100_000;
/** Maximum number of characters of all patterns of one request together. */
const MAX_CHARACTERS_TOGETHER = 100_000;
/** A class of Unicode characters takes as long to compile as this many other pieces of a pattern. */
const UNICODE_CLASS_STEPS = 50;
/**
 * Compiles a pattern of a user in RE2 syntax. All patterns from outside are compiled here, because a native
 * regular expression may take exponential time.
 * @returns the compiled pattern, or why it cannot be used: a clause that follows the name of the pattern, such
 *   as `cannot be read: missing closing )`
 */
export function compileLinear(text: string): LinearPattern | string {
  if (text.length > MAX_PATTERN_CHARACTERS)
    return `has ${text.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed`;
  const tooComplex = 'repeats too much to be matched quickly: use smaller numbers in {…}';
  if (estimateSteps(text) > MAX_ESTIMATED_STEPS) return tooComplex;
  try {
    const pattern = RE2JS.compile(text);
    const steps = pattern.programSize();
    return steps > MAX_STEPS ? tooComplex : { steps, matches: (subject) => pattern.test(subject) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `cannot be read: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
}

/**
 * Checks that patterns can be compiled quickly together.
 * @returns an error message, or `undefined` if they can
 */
export function findExcess(texts: readonly string[]): string | undefined {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_CHARACTERS_TOGETHER)
    return `The patterns have ${characters} characters together; at most ${MAX_CHARACTERS_TOGETHER} are allowed.`;
  // A pattern that is too large by itself is reported by its own name.
  const steps = texts.reduce((sum, text) => sum + Math.min(estimateSteps(text), MAX_ESTIMATED_STEPS), 0);
  return steps > MAX_ESTIMATED_STEPS_TOGETHER
    ? 'The patterns are too complex together. Use fewer, or smaller numbers in {…}.'
    : undefined;
}

/** The pieces of a pattern: an escape, a character class, a counted repetition, or one character. */
const PIECE = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?<low>\d+)(?:,(?<high>\d*))?\}|./gsu;

/**
 * Estimates the program size before a pattern is compiled: the number of its pieces, each as often as it is
 * repeated.
 */
function estimateSteps(text: string): number {
  /** The sizes of the open groups, the outermost first. */
  const groups: number[] = [];
  /** The size of the group that is read, and of the last piece in it. */
  let size = 0;
  let last = 0;
  for (const { 0: piece, groups: count } of text.matchAll(PIECE)) {
    if (piece === '(') {
      groups.push(size);
      size = 0;
    } else if (piece === ')') {
      last = size + 1;
      size = last + (groups.pop() ?? 0);
    } else if (count?.low !== undefined) {
      const repeated = last * Math.max(1, Number(count.high || count.low));
      size += repeated - last;
      last = repeated;
    } else {
      last = /\\p/i.test(piece) ? UNICODE_CLASS_STEPS : 1;
      size += last;
    }
  }
  return groups.reduce((sum, each) => sum + each, size);
}

/** Quotes a pattern for a message, at most 100 characters of it. */
export const quotePattern = (text: string) =>
  JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
