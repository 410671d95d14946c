import type { Word } from '../types.ts';
import { RIGHT_TO_LEFT } from './text-direction.ts';
import { type Atom, isBracket, withBracketsPaired, withSpacesOutside } from './turned-punctuation.ts';

const ATOMS =
  /[\u0590-\u05ff\u061b-\u065f\u066d-\u06dc\u06e5-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+|./gsu;
const ARABIC_LETTER = /[\u0620-\u064a\u0671-\u06d3\u06fa-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/;

/** What runs from left to right in text from right to left, by the classes of {@link Atom}. */
interface Patterns {
  /** Where there are only numbers (UAX #9, W2 to W7). */
  numbers: RegExp;
  /** Where there are letters, too: all from the first number or letter to the last one. */
  text: RegExp;
}
const HEBREW: Patterns = {
  numbers: /T{0,3}E?N+(?:[CE]N+)*T{0,3}/g,
  text: /(?:T{0,3}E?N|L)(?:.*(?:NT{0,3}|L))?/g,
};
const ARABIC: Patterns = { numbers: /E?N+(?:CN+)*/g, text: /(?:E?N|L)(?:.*[NL])?/g };

/**
 * The words of a line in logical order, with punctuation, brackets and numbers where they are read: the
 * bidirectional algorithm (UAX #9) backwards, for text without explicit marks of direction.
 * @param words from left to right
 * @param isRightToLeft whether the line runs from right to left; else only the phrases that do are reordered
 * @param isSpaced whether there is a space between two neighbours
 */
export function inLogicalOrder(
  words: readonly Word[],
  isRightToLeft: boolean,
  isSpaced: (a: Word, b: Word) => boolean,
): Word[] {
  const atoms = words.flatMap((word, place): Atom[] => {
    const before = words[place - 1];
    const own = atomsOf(word);
    return before && isSpaced(before, word) ? [{ text: ' ', kind: 'S' }, ...own] : own;
  });
  const patterns = words.some(({ text }) => ARABIC_LETTER.test(text)) ? ARABIC : HEBREW;
  return toWords(isRightToLeft ? reversed(atoms, patterns) : withReversedPhrases(atoms, patterns), isSpaced);
}

/** The atoms of a word. OCR and form fields have their words in logical order already. */
function atomsOf(word: Word): Atom[] {
  if (word.confidence !== undefined || word.run < 0) {
    const kind = RIGHT_TO_LEFT.test(word.text) ? 'R' : kindOf(word.text);
    return [{ text: word.text, kind, word }];
  }
  return [...word.text.matchAll(ATOMS)].map(([text]) => ({ text, kind: kindOf(text), word }));
}

function kindOf(text: string): Atom['kind'] {
  if (/[\p{Nd}\u066b\u066c]/u.test(text)) return 'N';
  if (RIGHT_TO_LEFT.test(text) && !/^[\u060c\u066a]/.test(text)) return 'R';
  if (/\p{L}/u.test(text)) return 'L';
  if (/^[,.:/\u060c\u00a0]$/.test(text)) return 'C';
  if (/^[-+\u2212]$/.test(text)) return 'E';
  if (/^[#%°±‰\u066a\p{Sc}]$/u.test(text)) return 'T';
  return 'O';
}

/** The phrases from right to left inside of a line from left to right, in logical order. */
function withReversedPhrases(atoms: readonly Atom[], patterns: Patterns): Atom[] {
  const kinds = atoms.map(({ kind }) => kind).join('');
  const parts: Atom[][] = [];
  let end = 0;
  for (const { 0: phrase, index } of kinds.matchAll(/R(?:[^L]*R)?/g)) {
    const next = index + phrase.length;
    parts.push(atoms.slice(end, index), reversed(atoms.slice(index, next), patterns));
    end = next;
  }
  return withOuterBrackets([...parts, atoms.slice(end)].flat());
}

/**
 * Atoms with pairs of brackets around phrases from right to left. PDFium mirrors a bracket behind such a phrase,
 * and drops the space after it or moves it before the bracket.
 */
function withOuterBrackets(atoms: readonly Atom[]): Atom[] {
  const paired = withBracketsPaired(atoms);
  const ordered: Atom[] = [];
  for (const [place, atom] of paired.entries()) {
    const isMirrored = atom.text !== atoms[place]?.text;
    const isTurned = ordered.at(-1)?.kind === 'S';
    if (!isMirrored || ordered.at(isTurned ? -2 : -1)?.kind !== 'R') {
      ordered.push(atom);
      continue;
    }
    if (isTurned) ordered.pop();
    ordered.push(atom);
    if (/^[LN]$/.test(paired[place + 1]?.kind ?? '')) ordered.push({ text: ' ', kind: 'S' });
  }
  return ordered;
}

/** Atoms from right to left, but numbers and the text of other scripts from left to right. */
function reversed(atoms: readonly Atom[], patterns: Patterns): Atom[] {
  const parts: Atom[][] = [];
  let end = 0;
  for (const [from, to] of leftToRightRuns(atoms, patterns)) {
    parts.push(atoms.slice(end, from).reverse());
    const run = withBracketsPaired(atoms.slice(from, to));
    parts.push(run.map((atom) => ({ ...atom, isLeftToRight: true })));
    end = to;
  }
  parts.push(atoms.slice(end).reverse());
  return withSpacesOutside(withBracketsPaired(parts.reverse().flat()));
}

/** Places where text from left to right begins and ends (exclusively), from left to right. */
function leftToRightRuns(atoms: readonly Atom[], patterns: Patterns): [number, number][] {
  const kinds = atoms.map(({ kind }) => kind).join('');
  const runs: [number, number][] = [];
  for (const { 0: stretch, index } of kinds.matchAll(/[^R]+/g)) {
    const pattern = stretch.includes('L') ? patterns.text : patterns.numbers;
    for (const { 0: run, index: from } of stretch.matchAll(pattern)) {
      let end = index + from + run.length;
      const brackets = atoms.slice(index + from, end).filter(isBracket).length;
      if (brackets % 2 === 1 && atoms[end] && isBracket(atoms[end] as Atom)) end++;
      runs.push([index + from, end]);
    }
  }
  return runs;
}

/** Words of atoms in logical order. Those whose text does not change are the same objects. */
function toWords(atoms: readonly Atom[], isSpaced: (a: Word, b: Word) => boolean): Word[] {
  const groups: Part[][] = [[]];
  for (const { text, word } of atoms) {
    if (word) addText(groups.at(-1) as Part[], text, word);
    else groups.push([]);
  }
  const words: Word[] = [];
  for (const [first, ...others] of groups.map((parts) => parts.map(toWord))) {
    if (!first) continue;
    const before = words.pop();
    words.push(...(before ? apart(before, first, isSpaced) : [first]));
    for (const word of others) words.push(word);
  }
  return words;
}

/** Text of a word, with punctuation of its neighbours that is read with it. */
interface Part {
  text: string;
  word: Word;
  /** Length of the text that is of the word itself. */
  ownLength: number;
}

function addText(parts: Part[], text: string, word: Word): void {
  const last = parts.at(-1);
  if (!last || last.word.style !== word.style || last.word.href !== word.href)
    parts.push({ text, word, ownLength: text.length });
  else if (last.word === word || text.length <= last.ownLength) {
    last.text += text;
    if (last.word === word) last.ownLength += text.length;
  } else Object.assign(last, { text: last.text + text, word, ownLength: text.length });
}

function toWord({ text, word }: Part): Word {
  if (text === word.text) return word;
  const { edges: _, ...rest } = word;
  return { ...rest, text };
}

/** Two words with a space between them, whatever their distance is. */
function apart(a: Word, b: Word, isSpaced: (a: Word, b: Word) => boolean): [Word, Word] {
  if (isSpaced(a, b)) return [a, b];
  const isRight = a.left > b.left;
  return [
    { ...a, ...(isRight && { isSpaced: true }) },
    { ...b, run: a.run, ...(!isRight && { isSpaced: true }) },
  ];
}
