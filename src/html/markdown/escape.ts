/** Signs that may mean something inside a line. */
const SIGNS = /[\\`*_[\]<&~]/;
const EACH_SIGN = /[\\`*_[\]<&~]/g;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** What renderers make a link of by themselves, up to the next blank; no sign inside of it means anything (GFM 6.9). */
const ADDRESS = /(?:(?<![a-z])https?:\/\/|(?<![^\s(*_~[\]])www\.)([\p{L}\p{N}_.-]+)[^\s<]*/giu;
/** What such a link does not end with. */
const ADDRESS_END = new Set(`?!.,:;*_~'")]`);
const ENTITY = /&(?:#(?:\d{1,7}|x[\da-f]{1,6})|[a-z][a-z\d]{0,31});/iy;

/** What stands beside a text: one character, or empty for none. */
export type Beside = string;

/** Whether marks see a character as punctuation (CommonMark 0.31.2, 2.1). A half of a pair counts as such. */
export function isPunctuation(character: Beside): boolean {
  const code = character.charCodeAt(0);
  if (code < 128) return code > 32 && !isAlphanumeric(code);
  return (code >= 0xd800 && code < 0xe000) || PUNCTUATION.test(character);
}

/** Whether marks see a character as part of a word. */
export const isWord = (character: Beside): boolean =>
  character !== '' && !/\s/.test(character) && !isPunctuation(character);

const isAlphanumeric = (code: number) =>
  (code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123);

/** What a text is part of. */
export interface Around {
  isLinked: boolean;
  /** Whether a mark is open that the text's signs could end. */
  isMarked: boolean;
}

/** Signs that mean something before what may stand right after them. */
export const isLoose = (sign: string): boolean => /[\\*_~<\]]/.test(sign);

/** Whether a text has signs that may mean something. */
export const hasSigns = (text: string): boolean => SIGNS.test(text);

/**
 * A text without line feeds so that markdown says it as it is, escaped where it would say something else.
 * @param before the character before it
 */
export function escapeText(text: string, before: Beside, { isLinked, isMarked }: Around): string {
  const bracketsMatter = isLinked && !isBalanced(text);
  const mayBeTask = !isLinked;
  const addresses = isLinked ? [] : addressesOf(before, text);
  return text.replace(EACH_SIGN, (sign, at: number) => {
    while (addresses.length > 0 && (addresses.at(-1)?.to ?? 0) <= at) addresses.pop();
    if ((addresses.at(-1)?.from ?? at) < at) return sign;
    const previous = at > 0 ? text.charAt(at - 1) : before;
    // What follows the last one decides later, see `Line`.
    const next = text.charAt(at + 1) || ' ';
    return means(sign, { previous, next, text, at, bracketsMatter, mayBeTask, isMarked })
      ? `\\${sign}`
      : sign;
  });
}

/** Where the addresses in a text are, the last one first. */
function addressesOf(before: Beside, text: string): { from: number; to: number }[] {
  if (!text.includes('://') && !/www\./i.test(text)) return [];
  const found: { from: number; to: number }[] = [];
  for (const { 0: address, 1: site = '', index } of (before + text).matchAll(ADDRESS)) {
    let { length } = address;
    while (ADDRESS_END.has(address.charAt(length - 1))) length--;
    const from = index - before.length;
    const isSite = !site.split('.').slice(-2).join('').includes('_');
    if (isSite) found.push({ from, to: from + length });
  }
  return found.reverse();
}

interface Place {
  previous: Beside;
  next: Beside;
  text: string;
  at: number;
  bracketsMatter: boolean;
  mayBeTask: boolean;
  isMarked: boolean;
}

function means(
  sign: string,
  { previous, next, text, at, bracketsMatter, mayBeTask, isMarked }: Place,
): boolean {
  switch (sign) {
    case '\\':
      return next.charCodeAt(0) < 128 && isPunctuation(next);
    case '*':
      // Only what a mark can begin with: without a beginning there is no end, but for a mark of ours.
      return next !== ' '
        ? !isPunctuation(next) || !isWord(previous) || isMarked
        : previous === '*' || (isMarked && !isBlank(previous));
    case '_':
      return next !== ' ' ? !isWord(previous) || (isMarked && !isWord(next)) : isMarked && !isBlank(previous);
    case '~':
      // A pair of these strikes out; without an end there is none.
      return !isBlank(previous);
    case '[':
      return bracketsMatter || next === '^' || (mayBeTask && isTask(text, at));
    case ']':
      return bracketsMatter || next === '(';
    case '<':
      return /[a-z!/?]/i.test(next);
    case '&':
      ENTITY.lastIndex = at;
      return ENTITY.test(text);
    default:
      return true;
  }
}

const isBlank = (character: Beside) => character === '' || character === ' ' || character === '\n';

/** What a list item would take for a box to tick. */
const isTask = (text: string, at: number) => at === 0 && /^\[[ x]\]/i.test(text);

function isBalanced(text: string): boolean {
  let open = 0;
  for (const sign of text) {
    if (sign === '[') open++;
    else if (sign === ']' && --open < 0) return false;
  }
  return open === 0 && !text.includes('](');
}

/** Beginnings of lines that may be blocks. */
const MAY_BE_BLOCK = /^[#>+\-*_=~|:\d[]/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const MARKER = /^(?:#{1,6}|[-+*])(?:\s|$)/;
const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;
const UNDERLINE = /^(?:=+|-+)\s*$/;
const TABLE_RULE = /^[\s:|-]*-[\s:|-]*$/;
const DEFINITION = /^\[(?:[^[\]\\]|\\.){1,999}\]:/;

/** A line so that it stays a line of its paragraph. @param isFirst whether it is the paragraph's first */
export function escapeLine(line: string, isFirst: boolean): string {
  if (!MAY_BE_BLOCK.test(line)) return line;
  if (NUMBER.test(line)) return line.replace(NUMBER, '$1\\$2');
  const isBlock =
    line.startsWith('>') ||
    line.startsWith('~~~') ||
    MARKER.test(line) ||
    RULE.test(line) ||
    DEFINITION.test(line) ||
    (!isFirst && (UNDERLINE.test(line) || TABLE_RULE.test(line)));
  return isBlock ? `\\${line}` : line;
}
