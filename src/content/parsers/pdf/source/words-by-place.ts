import { type Box, centerX, heightOf, median, overlapY } from '../boxes.ts';
import type { Word } from '../types.ts';

/** Minimum height of a band of a page, in points. */
const MIN_BAND = 1;
/** Maximum number of bands that a box is in, so that a page of huge boxes has no more entries than others. */
const MAX_BANDS = 16;
/** Maximum number of words of a band that are looked at: those that begin before a position, the nearest first. */
const MAX_LOOKS = 64;

interface Entry {
  word: Word;
  /** Where the word is in the order of the page. */
  order: number;
  /** From where on marks belong to the word, and up to where. */
  start: number;
  end: number;
}

/**
 * Finds words by their place on a page. Each mark that stands over a word is looked for among the words near it,
 * because a page can have any number of both.
 */
export class WordsByPlace {
  readonly #height: number;
  readonly #bands = new Map<number, Entry[]>();

  /** @param reach how far a mark may be to the left or right of a word, in points */
  constructor(words: readonly Word[], reach: (word: Word) => number = () => 0) {
    this.#height = Math.max(MIN_BAND, median(words.map(heightOf)));
    for (const [order, word] of words.entries()) {
      const distance = reach(word);
      const entry = { word, order, start: word.left - distance, end: word.right + distance };
      for (const band of this.#bandsOf(word)) {
        const entries = this.#bands.get(band);
        if (entries) entries.push(entry);
        else this.#bands.set(band, [entry]);
      }
    }
    for (const entries of this.#bands.values()) entries.sort((a, b) => a.start - b.start);
  }

  /** The words that the middle of a mark is over or below, at the height of the mark, in the order of the page. */
  at(mark: Box): Word[] {
    const middle = centerX(mark);
    const found = new Set<Entry>();
    for (const band of this.#bandsOf(mark)) {
      const entries = this.#bands.get(band) ?? [];
      const last = lastBefore(entries, middle);
      for (let place = last; place >= 0 && place > last - MAX_LOOKS; place--) {
        const entry = entries[place] as Entry;
        if (entry.end >= middle && overlapY(entry.word, mark) > 0) found.add(entry);
      }
    }
    return [...found].sort((a, b) => a.order - b.order).map(({ word }) => word);
  }

  #bandsOf({ top, bottom }: Box): number[] {
    const first = Math.floor(top / this.#height);
    const count = Math.floor(bottom / this.#height) - first + 1;
    return Array.from({ length: Math.max(0, Math.min(count, MAX_BANDS)) }, (_, place) => first + place);
  }
}

/** The place of the last of the sorted entries that begins at or before a position; -1 if none does. */
function lastBefore(entries: readonly Entry[], x: number): number {
  let [from, to] = [0, entries.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle] as Entry).start <= x) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
