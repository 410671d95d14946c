import { RE2JS } from 're2js';
import { compileLinear, type LinearPattern } from './linear-pattern.ts';

/**
 * Compiles a pattern of a JSON Schema, which is an ECMA-262 regular expression with the flag `u`, to one that
 * matches in linear time. Conditions at its beginning, such as those of `^(?=.*\d)(?!.*\.\.).{8,}$`, are
 * patterns of their own; look-around elsewhere and back-references are not supported.
 * @returns the compiled pattern, or why it cannot be used: a clause that follows the name of the pattern
 */
export function compileSchemaPattern(text: string): LinearPattern | string {
  const syntaxError = findSyntaxError(text);
  if (syntaxError !== undefined) return `is no regular expression: ${syntaxError}`;
  const { conditions, rest } = splitConditions(text);
  const unsupported = findUnsupported([...conditions.map(({ body }) => body), rest]);
  if (unsupported !== undefined)
    return `has ${unsupported}, which cannot be matched in linear time: leave it out, or check it yourself`;
  const parts: { pattern: LinearPattern; isWanted: boolean }[] = [];
  for (const { body, isWanted } of [...conditions, { body: rest, isWanted: true }]) {
    const pattern = compileLinear(RE2JS.translateRegExp(body));
    if (typeof pattern === 'string') return pattern;
    parts.push({ pattern, isWanted });
  }
  return {
    steps: parts.reduce((sum, { pattern }) => sum + pattern.steps, 0),
    matches: (subject) => parts.every(({ pattern, isWanted }) => pattern.matches(subject) === isWanted),
  };
}

/** Lets V8 read a pattern without matching anything. @returns its message about a syntax error */
function findSyntaxError(text: string): string | undefined {
  try {
    new RegExp(text, 'u');
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** A look-ahead at the beginning of a pattern, as a pattern of its own. */
interface Condition {
  body: string;
  /** Whether the text must match, rather than must not. */
  isWanted: boolean;
}

/** Separates the look-aheads that follow the `^` at the beginning of a pattern from the rest of it. */
function splitConditions(text: string): { conditions: Condition[]; rest: string } {
  const conditions: Condition[] = [];
  let rest = text.startsWith('^') ? text.slice(1) : '';
  while (/^\(\?[=!]/.test(rest)) {
    const end = findGroupEnd(rest);
    conditions.push({ body: `^(?:${rest.slice(3, end)})`, isWanted: rest[2] === '=' });
    rest = rest.slice(end + 1);
  }
  // An alternative to the whole, as in `^(?=a)b|c`, has no part in the conditions.
  if (conditions.length === 0 || hasAlternatives(rest)) return { conditions: [], rest: text };
  return { conditions, rest: `^${rest}` };
}

/** The pieces of a pattern: an escape, a character class, or one character. */
const PIECE = /\\.|\[(?:\\.|[^\]\\])*\]|./gsu;

/** Calls back for each piece of a valid pattern with its depth in groups, until the callback returns true. */
function findPiece(
  text: string,
  isFound: (piece: { text: string; index: number; depth: number }) => boolean,
): number | undefined {
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (piece === ')') depth--;
    if (isFound({ text: piece, index, depth })) return index;
    if (piece === '(') depth++;
  }
  return undefined;
}

/** The index of the `)` that closes the group at the beginning of a valid pattern. */
const findGroupEnd = (text: string) =>
  findPiece(text, (piece) => piece.text === ')' && piece.depth === 0) ?? text.length;

const hasAlternatives = (text: string) =>
  findPiece(text, (piece) => piece.text === '|' && piece.depth === 0) !== undefined;

/** Names what no linear engine supports. @returns `undefined` if the patterns have none of it */
function findUnsupported(patterns: readonly string[]): string | undefined {
  for (const text of patterns) {
    if (findPiece(text, (piece) => /^\\(?:[1-9]|k)/.test(piece.text)) !== undefined)
      return 'a back-reference';
    const lookAround = findPiece(
      text,
      (piece) => piece.text === '(' && /^\(\?<?[=!]/.test(text.slice(piece.index, piece.index + 4)),
    );
    if (lookAround !== undefined) return 'a look-around that is not at its beginning';
  }
  return undefined;
}
