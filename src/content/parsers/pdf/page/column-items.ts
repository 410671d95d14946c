import type { Box } from '../boxes.ts';
import type { Segment } from '../types.ts';

/** A table, picture or other content that is positioned as a whole and never split. */
export interface Placed<T> extends Box {
  content: T;
}

/** A part of a line, or content that is positioned as a whole. */
export type ColumnItem<T> = Segment | Placed<T>;

/** Whether an item is a part of a line, and not content that is positioned as a whole. */
export const isSegment = <T>(item: ColumnItem<T>): item is Segment => 'words' in item;
