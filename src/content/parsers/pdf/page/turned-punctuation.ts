import type { Word } from '../types.ts';

/**
 * Text of one kind. In letters that are written from right to left, PDFium has restored the logical order, but
 * everything else of a word is in the order on the page.
 */
export interface Atom {
  text: string;
  /** R: letters from right to left, L: other letters, N: digit, C, E, T: what may belong to numbers, S: space. */
  kind: 'R' | 'L' | 'N' | 'C' | 'E' | 'T' | 'O' | 'S';
  /** The word that it belongs to; absent for a space. */
  word?: Word;
  /** Whether it stands inside of text from left to right. */
  isLeftToRight?: boolean;
}

/** Closing brackets by the opening ones. */
const CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['«', '»'],
  ['‹', '›'],
]);
const OPENING = new Map(Array.from(CLOSING, ([open, close]) => [close, open]));
const mirrorOf = (text: string) => CLOSING.get(text) ?? OPENING.get(text) ?? text;
const isOpening = ({ text }: Atom) => CLOSING.has(text);
const isClosing = ({ text }: Atom) => OPENING.has(text);
/** Whether an atom is an opening or a closing bracket. */
export const isBracket = (atom: Atom) => isOpening(atom) || isClosing(atom);
/** Marks that follow a word without a space. */
const isStop = ({ text }: Atom) => /^[.,:;?!،؛؟]$/.test(text);

/**
 * Atoms with brackets that pair. Some files map a bracket to its character and others to its shape, and PDFium
 * mirrors some of both.
 */
export function withBracketsPaired(atoms: readonly Atom[]): Atom[] {
  const isOwn = (atom: Atom) => !atom.isLeftToRight && isBracket(atom);
  const brackets = atoms.filter(isOwn);
  const texts = brackets.map(({ text }) => text);
  if (isPaired(texts)) return [...atoms];
  const alternating = texts.map((text, place) =>
    CLOSING.has(text) === (place % 2 === 0) ? text : mirrorOf(text),
  );
  const paired = [texts.map(mirrorOf), alternating].find(isPaired);
  if (!paired) return [...atoms];
  let next = 0;
  return atoms.map((atom) => (isOwn(atom) ? { ...atom, text: paired[next++] as string } : atom));
}

function isPaired(brackets: readonly string[]): boolean {
  const closing: string[] = [];
  for (const bracket of brackets) {
    const close = CLOSING.get(bracket);
    if (close) closing.push(close);
    else if (closing.pop() !== bracket) return false;
  }
  return closing.length === 0;
}

/** Fewer letters in brackets are an ending of the word before them. */
const MIN_LETTERS = 3;
/** Limits the time to look for the end of brackets. */
const MAX_BRACKETED = 200;
const SPACE: Atom = { text: ' ', kind: 'S' };
const isWord = (atom: Atom | undefined) => atom !== undefined && /^[RLN]$/.test(atom.kind);

/**
 * Atoms with spaces outside of brackets and quotation marks instead of inside, and behind stops. PDFium
 * reverses punctuation together with the space beside it, which is then lost where letters touch a bracket.
 */
export function withSpacesOutside(atoms: readonly Atom[]): Atom[] {
  const quotes = pairedQuotes(atoms);
  const ordered: Atom[] = [];
  const isOpeningQuote = (atom: Atom) => quotes.get(atom) === 'opening';
  const isOpened = (atom: Atom | undefined) =>
    atom !== undefined && !atom.isLeftToRight && (isOpening(atom) || isOpeningQuote(atom));
  let isLong = true;
  for (const [place, atom] of atoms.entries()) {
    if (atom.kind === 'S' && isOpened(ordered.at(-1))) continue;
    const before = ordered.at(-1);
    const after = atoms[place + 1];
    if (atom.isLeftToRight) ordered.push(atom);
    else if (isOpened(atom)) {
      const bracketed = atoms.slice(place, place + MAX_BRACKETED);
      const end = bracketed.findIndex(isClosing);
      isLong = isOpening(atom) && bracketed.slice(0, end === -1 ? undefined : end).some(isLongWord);
      if (isWord(before) && (isLong || after?.kind === 'S')) ordered.push(SPACE);
      ordered.push(atom);
    } else if (isClosing(atom) || isStop(atom) || quotes.has(atom)) {
      const isTurned = before?.kind === 'S';
      if (isTurned) ordered.pop();
      ordered.push(atom);
      if (isWord(after) && (isTurned || (isLong && isClosing(atom)))) ordered.push(SPACE);
    } else ordered.push(atom);
  }
  return ordered;
}

/** Quotation marks at the edges of words, if they can be pairs. Those between letters mark abbreviations. */
function pairedQuotes(atoms: readonly Atom[]): Map<Atom, 'opening' | 'closing'> {
  const quotes = atoms.filter(
    (atom, place) =>
      atom.text === '"' && !atom.isLeftToRight && !(isWord(atoms[place - 1]) && isWord(atoms[place + 1])),
  );
  if (quotes.length % 2 === 1) return new Map();
  return new Map(quotes.map((atom, place) => [atom, place % 2 === 0 ? 'opening' : 'closing']));
}

const isLongWord = ({ kind, text }: Atom) => kind === 'R' && text.length >= MIN_LETTERS;
