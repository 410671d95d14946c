import { type ColumnItem, isSegment } from './column-items.ts';

/** Minimum length of a line of running text, in characters and words. */
const MIN_LENGTH = 16;
const MIN_WORDS = 4;

/** Whether an item is a line of running text. */
export const isRunning = <T>(item: ColumnItem<T>): boolean =>
  isSegment(item) && item.length >= MIN_LENGTH && item.words.length >= MIN_WORDS;
