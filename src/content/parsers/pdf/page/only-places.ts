import type { PdfTextBlock, Word } from '../types.ts';
import { PAGE_NUMBER } from './edge-lines.ts';
import { lineText, toLine } from './lines.ts';
import { toSegments } from './segments.ts';

/** Limits the time for hostile documents with a running head of its own on each page. */
const MAX_SEARCHED = 100;

interface PageText {
  header: PdfTextBlock[];
  footer: PdfTextBlock[];
  words: Word[];
}

/**
 * Marks the first running head of each text that stands nowhere else in the document, such as the sender of a
 * letter, so that the text is not lost with the running heads.
 */
export function markOnlyPlaces<P extends PageText>(pages: readonly P[]): P[] {
  const seen = new Set<string>();
  const letters: string[] = [];
  const isInBody = (text: string) =>
    pages.some(({ words }, place) => {
      letters[place] ??= lettersOf(words);
      return letters[place].includes(text);
    });
  const mark = (block: PdfTextBlock): PdfTextBlock => {
    const text = lettersOf(block.lines.flatMap(({ words }) => words));
    if (block.role === 'page-number' || seen.has(text) || seen.size >= MAX_SEARCHED) return block;
    seen.add(text);
    const parts = block.lines.flatMap((line) => toSegments(line.words).map(({ words }) => words));
    const isFound = (words: Word[]) =>
      PAGE_NUMBER.test(lineText(toLine(words))) || isInBody(lettersOf(words));
    return parts.every(isFound) ? block : { ...block, isOnlyPlace: true };
  };
  return pages.map((page) =>
    page.header.length + page.footer.length === 0
      ? page
      : { ...page, header: page.header.map(mark), footer: page.footer.map(mark) },
  );
}

/** The letters of words in small type, without numbers and punctuation. */
const lettersOf = (words: readonly Word[]) =>
  words
    .map(({ text }) => text)
    .join('')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '');
