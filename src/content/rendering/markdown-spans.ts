/** Tags, targets of links, and entities, whose letters are not those of the text. */
const MARKUP = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>|\]\([^()\s]*(?:\s"[^"]*")?\)|&#?\w+;/;
const LETTERS_AND_MARKUP = new RegExp(`${MARKUP.source}|(?<letters>[\\p{L}\\p{N}\\p{M}]+)`, 'giu');
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * How many words at the beginning and at the end of a block are searched for if its whole text is not found.
 */
const WORDS_OF_AN_END = 4;
/** The number of letters from which a text is not found in another one by chance. */
const LONG_TEXT = 20;
/** The most letters that the markdown of a block has, as a multiple of those of its text. */
const MAX_GROWTH = 2;

/** The letters and digits of a text, without anything between them. */
interface Letters {
  text: string;
  /** Where each of them is in the text. */
  places: number[];
}

function lettersOf(text: string): Letters {
  const runs: string[] = [];
  const places: number[] = [];
  for (const { groups, index } of text.matchAll(LETTERS_AND_MARKUP)) {
    const run = groups?.letters;
    if (!run) continue;
    runs.push(run);
    for (let offset = 0; offset < run.length; offset++) places.push(index + offset);
  }
  return { text: runs.join(''), places };
}

/** A part of {@link Letters}: the first one, and the one after the last. */
type Range = [start: number, end: number];

/**
 * Returns a function that finds texts in markdown, when it is called for them in reading order. Markdown
 * escapes characters, marks styles, and has lines and cells, so only letters and digits are compared. A text
 * that the markdown lacks has no span, and does not keep those after it from being found.
 */
export function createSpanFinder(markdown: string): (content: string) => [start: number, end: number] | null {
  const all = lettersOf(markdown);
  let from = 0;
  return (content) => {
    const found = findText(all, lettersOf(content).text, from) ?? findByEnds(all, content, from);
    if (!found) return null;
    from = found[1];
    return toSpan(found, { markdown, content, places: all.places });
  };
}

/**
 * Finds letters that begin and end words. Long ones may be in a word, because the markdown joins parts of
 * words.
 */
function findText({ text, places }: Letters, searched: string, from: number): Range | undefined {
  if (!searched) return undefined;
  const isBoundary = (at: number) =>
    searched.length >= LONG_TEXT || at === 0 || at === places.length || places[at - 1] !== places[at]! - 1;
  for (let at = text.indexOf(searched, from); at >= 0; at = text.indexOf(searched, at + 1))
    if (isBoundary(at) && isBoundary(at + searched.length)) return [at, at + searched.length];
  return undefined;
}

/**
 * Finds a text by its first and last words, because the markdown has something within it, such as the number
 * of a footnote.
 */
function findByEnds(all: Letters, content: string, from: number): Range | undefined {
  const words = content.match(WORD) ?? [];
  if (words.length < 2 * WORDS_OF_AN_END) return undefined;
  const first = findText(all, words.slice(0, WORDS_OF_AN_END).join(''), from);
  const last = first && findText(all, words.slice(-WORDS_OF_AN_END).join(''), first[1]);
  if (!last || last[1] - first[0] > MAX_GROWTH * content.length) return undefined;
  return [first[0], last[1]];
}

/** Extends letters by the punctuation around them that the text has, too. */
function toSpan(
  [first, end]: Range,
  { markdown, content, places }: { markdown: string; content: string; places: number[] },
): [start: number, end: number] {
  const words = [...content.matchAll(WORD)];
  const [firstWord, lastWord] = [words[0], words.at(-1)];
  const before = content.slice(0, firstWord?.index);
  const after = lastWord ? content.slice(lastWord.index + lastWord[0].length) : '';
  const from = places[first]!;
  const to = places[end - 1]! + 1;
  return [
    markdown.slice(0, from).endsWith(before) ? from - before.length : from,
    markdown.startsWith(after, to) ? to + after.length : to,
  ];
}
