/** Characters that can be markup inside a line. */
const SPECIAL_CHARACTER = /[\\`*_[\]<&~]/;
const SPECIAL_CHARACTERS = /[\\`*_[\]<&~]/g;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/**
 * A bare URL that renderers turn into a link (GFM 6.9). Characters inside it are never markup, so they are
 * not escaped.
 */
const BARE_URL = /(?:(?<![a-z])https?:\/\/|(?<![^\s(*_~[\]])www\.)([\p{L}\p{N}_.-]+)[^\s<]*/giu;
/** Punctuation that GFM leaves out of a bare URL when it stands at the end. */
const URL_TRAILERS = new Set(`?!.,:;*_~'")]`);
const ENTITY = /&(?:#(?:\d{1,7}|x[\da-f]{1,6})|[a-z][a-z\d]{0,31});/iy;

/** The character before or after a text; an empty string at either end of a line. */
export type AdjacentCharacter = string;

/**
 * Whether a character is punctuation to CommonMark's emphasis rules (0.31.2, 2.1). Half of a surrogate pair
 * counts as punctuation.
 */
export function isPunctuation(character: AdjacentCharacter): boolean {
  const code = character.charCodeAt(0);
  if (code < 128) return code > 32 && !isAlphanumeric(code);
  return (code >= 0xd800 && code < 0xe000) || PUNCTUATION.test(character);
}

/** Whether a character is neither white space nor punctuation to CommonMark's emphasis rules. */
export const isWord = (character: AdjacentCharacter): boolean =>
  character !== '' && !/\s/.test(character) && !isPunctuation(character);

const isAlphanumeric = (code: number) =>
  (code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123);

/** The inline elements around a text. */
export interface InlineContext {
  isInLink: boolean;
  /** Whether emphasis is open that a character of the text could close. */
  isInEmphasis: boolean;
}

/** Whether the meaning of a character depends on the one after it, which may not be known yet. */
export const dependsOnNext = (character: string): boolean => /[\\*_~<\]]/.test(character);

/** Whether a text has any character that can be markup. */
export const mayNeedEscaping = (text: string): boolean => SPECIAL_CHARACTER.test(text);

/** The characters that can be markup, and white space other than a space. */
const NOT_PLAIN = /[\\`*_[\]<&~\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/**
 * Whether a text is written as it is, because it has single spaces between its words and no character that
 * can be markup. Most texts are like that, so it matters that V8 takes less time for one class of characters
 * than for alternatives.
 */
export const isPlain = (text: string): boolean => !NOT_PLAIN.test(text) && !/ {2}/.test(text);

/**
 * Escapes the characters of a text that would be read as markup in its place.
 * @param text without line feeds
 * @param before the character before the text
 */
export function escapeText(
  text: string,
  before: AdjacentCharacter,
  { isInLink, isInEmphasis }: InlineContext,
): string {
  const bracketsMatter = isInLink && !isBalanced(text);
  const mayBeTask = !isInLink;
  const urls = isInLink ? [] : findBareUrls(before, text);
  return text.replace(SPECIAL_CHARACTERS, (character, at: number) => {
    while (urls.length > 0 && (urls.at(-1)?.to ?? 0) <= at) urls.pop();
    if ((urls.at(-1)?.from ?? at) < at) return character;
    const previous = at > 0 ? text.charAt(at - 1) : before;
    // The last character is judged later, when the next one is known: see `OutputBuffer.escapePending`.
    const next = text.charAt(at + 1) || ' ';
    return needsEscape(character, { previous, next, text, at, bracketsMatter, mayBeTask, isInEmphasis })
      ? `\\${character}`
      : character;
  });
}

/** Finds the bare URLs in a text, the last one first. */
function findBareUrls(before: AdjacentCharacter, text: string): { from: number; to: number }[] {
  if (!text.includes('://') && !/www\./i.test(text)) return [];
  const found: { from: number; to: number }[] = [];
  for (const { 0: url, 1: host = '', index } of (before + text).matchAll(BARE_URL)) {
    let { length } = url;
    while (URL_TRAILERS.has(url.charAt(length - 1))) length--;
    const from = index - before.length;
    const isLink = !host.split('.').slice(-2).join('').includes('_');
    if (isLink) found.push({ from, to: from + length });
  }
  return found.reverse();
}

interface CharacterContext {
  previous: AdjacentCharacter;
  next: AdjacentCharacter;
  text: string;
  at: number;
  bracketsMatter: boolean;
  mayBeTask: boolean;
  isInEmphasis: boolean;
}

function needsEscape(
  character: string,
  { previous, next, text, at, bracketsMatter, mayBeTask, isInEmphasis }: CharacterContext,
): boolean {
  switch (character) {
    case '\\':
      return next.charCodeAt(0) < 128 && isPunctuation(next);
    case '*':
      // Emphasis that cannot open cannot close either, unless we opened it ourselves.
      return next !== ' '
        ? !isPunctuation(next) || !isWord(previous) || isInEmphasis
        : previous === '*' || (isInEmphasis && !isBlank(previous));
    case '_':
      return next !== ' '
        ? !isWord(previous) || (isInEmphasis && !isWord(next))
        : isInEmphasis && !isBlank(previous);
    case '~':
      // Strikethrough needs a closing pair, which must follow a character that is not blank.
      return !isBlank(previous);
    case '[':
      return bracketsMatter || next === '^' || (mayBeTask && isTaskMarker(text, at));
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

const isBlank = (character: AdjacentCharacter) => character === '' || character === ' ' || character === '\n';

/** Whether a list item would show the text as a task's checkbox. */
const isTaskMarker = (text: string, at: number) => at === 0 && /^\[[ x]\]/i.test(text);

function isBalanced(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === '[') open++;
    else if (character === ']' && --open < 0) return false;
  }
  return open === 0 && !text.includes('](');
}

/** First characters of lines that can begin a block. */
const MAY_BE_BLOCK = /^[#>+\-*_=~|:\d[]/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const MARKER = /^(?:#{1,6}|[-+*])(?:\s|$)/;
const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;
const UNDERLINE = /^(?:=+|-+)\s*$/;
const TABLE_RULE = /^[\s:|-]*-[\s:|-]*$/;
const DEFINITION = /^\[(?:[^[\]\\]|\\.){1,999}\]:/;

/**
 * Escapes a line that would begin a block of its own.
 * @param isFirst whether the line is the first of its paragraph
 */
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
