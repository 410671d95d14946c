import { formInWords, functionWords, separateWords } from '../answers/words.ts';
import { removeLinks } from './indexed-text.ts';

/** Most different words of a page that are indexed. Few pages have more. */
const MAX_WORDS = 1_000;
/** Longer ones are hashes and the like, which nobody searches for. */
export const MAX_WORD_CHARACTERS = 40;
/** More than the longest text of a page that is indexed. */
const MAX_CHARACTERS = 255 * 1_024;

/** The factor of the hash function FNV-1a. */
const FNV_PRIME = 0x01000193;

/** What the table has for code units without a form in words: those that separate words, and those whose form one unit cannot tell. */
const SEPARATOR = 0;
const COMPLEX = 1;
/** The unit has not occurred yet. */
const UNKNOWN = 2;

const LINE_FEED = 0x0a;
const EXCLAMATION_MARK = 0x21;
const OPENING_PARENTHESIS = 0x28;
const CLOSING_PARENTHESIS = 0x29;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/*
 * The memory is shared by all texts, because the compiler reads arrays that are constants of the module in two thirds of the time
 * of others.
 */
/** The code units of the text, with two zeros after them. Node writes the lower byte first, as all its processors do. */
const units = new Uint16Array(MAX_CHARACTERS + 2);
const unitBytes = Buffer.from(units.buffer);
/** The form of each code unit in words, or one of the constants above. */
const forms = new Uint16Array(0x1_0000).fill(UNKNOWN);
/** The hashes of the different words, in the order of the texts. */
const words = new Int32Array(MAX_WORDS);
let count = 0;
/** The same as a hash table; 0 is a free place. */
const places = new Int32Array(4 * 1_024);
const LAST_PLACE = places.length - 1;

/**
 * The number that the index has for a term. Postgres sorts and compares numbers in half of the time of words. Of a million different
 * words, about two hundred have the number of another one.
 */
export function hashTerm(term: string): number {
  let hash = 0;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** A text to collect words from. */
interface WordyText {
  words: string;
  /** Whether it has images and links of markdown, of which only the texts of links count. */
  haveLinks: boolean;
}

/**
 * The hashes of the first 1,000 different words of texts as `splitWords` returns them, without English function words and
 * without those that are longer than 40 characters. To make strings of the words takes several times as long.
 */
export function distinctWords(texts: readonly WordyText[]): Int32Array {
  places.set(ignored);
  count = 0;
  for (const text of texts) {
    if (count === MAX_WORDS || collectWords(text)) continue;
    // Few texts have a complex character. They are normalized as a whole.
    const shown = text.haveLinks ? removeLinks(text.words) : text.words;
    collectWords({ words: separateWords(shown), haveLinks: false }, { areFormsKnown: true });
  }
  return words.slice(0, count);
}

/** @returns whether the whole text was read, which ends at a complex character unless the forms are known */
function collectWords({ words: text, haveLinks }: WordyText, { areFormsKnown = false } = {}): boolean {
  const length = unitBytes.write(text, 0, 2 * MAX_CHARACTERS, 'utf16le') / 2;
  units.fill(0, length, length + 2);
  for (let at = 0, begin = 0, hash = 0; at <= length; at++) {
    const unit = units[at]!;
    let form = forms[unit]!;
    // Most units have a form, so this is the only comparison for them.
    if (form <= UNKNOWN) {
      if (form === UNKNOWN) form = readForm(unit);
      if (form === COMPLEX && !areFormsKnown) return false;
      if (form === SEPARATOR) {
        if (at > begin && at - begin <= MAX_WORD_CHARACTERS) addWord(hash);
        if (count === MAX_WORDS) return true;
        if (haveLinks && (unit === CLOSING_BRACKET || unit === EXCLAMATION_MARK)) at = lastOfLink(at);
        begin = at + 1;
        hash = 0;
        continue;
      }
      if (form === COMPLEX) form = unit;
    }
    hash = Math.imul(hash ^ form, FNV_PRIME);
  }
  return true;
}

function readForm(unit: number): number {
  const form = formInWords(String.fromCharCode(unit));
  forms[unit] = form === undefined ? COMPLEX : form === '' ? SEPARATOR : form.charCodeAt(0);
  return forms[unit]!;
}

/** Adds a word unless it is among those before it. */
function addWord(given: number): void {
  const hash = given || 1;
  let place = (hash ^ (hash >>> 15)) & LAST_PLACE;
  while (places[place] !== 0) {
    if (places[place] === hash) return;
    place = (place + 1) & LAST_PLACE;
  }
  places[place] = hash;
  words[count++] = given;
}

/** The last unit of the target of a link, or of the image, that begins here; the given one if none does. See `removeLinks`. */
function lastOfLink(begin: number): number {
  const unit = units[begin];
  let at = begin;
  if (unit === EXCLAMATION_MARK) {
    if (units[begin + 1] !== OPENING_BRACKET) return begin;
    at = indexInLine(CLOSING_BRACKET, begin + 2);
  }
  if (units[at + 1] !== OPENING_PARENTHESIS) return begin;
  const end = indexInLine(CLOSING_PARENTHESIS, at + 2);
  return units[end] === CLOSING_PARENTHESIS ? end : begin;
}

/** The index of a unit, or of the end of the line if the line does not have it. */
function indexInLine(unit: number, from: number): number {
  let at = from;
  while (units[at] !== unit && units[at] !== LINE_FEED && units[at] !== 0) at++;
  return at;
}

/** The hash table with English function words only, which nearly every page has. */
const ignored = new Int32Array(places.length);
collectWords({ words: [...functionWords('en')].join(' '), haveLinks: false });
ignored.set(places);
