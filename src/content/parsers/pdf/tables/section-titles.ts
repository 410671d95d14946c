import { heightOf, median } from '../boxes.ts';
import { toSegment } from '../page/segments.ts';
import type { Segment, Word } from '../types.ts';
import { isGroupRow } from './group-rows.ts';

/** The number of a section or of a part of one, such as 2 or 2.1.4. */
const NUMBER = /^(?:\d{1,2}|[A-Z])(?:\.\d{1,3})*\.?$/;
const PART = /^(?:\d{1,2}|[A-Z])\.\d{1,3}/;
/** Minimum size of a title, as a multiple of that of the rows around, where nothing else tells it from these. */
const LARGER = 1.1;
/** Number of rows above and below a title that it is compared with. */
const NEAR_ROWS = 3;
/** Maximum difference of the sizes of the words of a title, as a share of the size. */
const MAX_SIZE_STEP = 0.08;

/**
 * Finds the titles of sections, whose number stands apart from the rest of the line as if in a column of its own,
 * and which begin and end no table: the line has nothing else, and all of it is bold or larger than the text.
 * @param rows segments by row, from top to bottom, each row from left to right
 * @returns the rows with one segment for each title, and those rows that are titles
 */
export function joinSectionTitles(rows: readonly Segment[][]): {
  rows: Segment[][];
  titles: ReadonlySet<Segment[]>;
} {
  const titles = new Set<Segment[]>();
  if (!rows.some(beginsWithNumber)) return { rows: [...rows], titles };
  const lineHeight = median(rows.flat().map(heightOf));
  const joined = rows.map((row, place) => {
    if (!beginsWithNumber(row)) return row;
    const near = [
      ...rows.slice(Math.max(0, place - NEAR_ROWS), place),
      ...rows.slice(place + 1, place + NEAR_ROWS + 1),
    ];
    if (!isTitle(row, near) || isInnerCell(row, near, lineHeight)) return row;
    const title = [toSegment(row.flatMap(({ words }) => words))];
    // The name of a group of rows stands between rows of the same columns.
    if (isGroupRow([rows[place - 1] ?? [], title, rows[place + 1] ?? []], 1, lineHeight)) return row;
    titles.add(title);
    return title;
  });
  return { rows: joined, titles };
}

const beginsWithNumber = ([first]: readonly Segment[]) =>
  first !== undefined && NUMBER.test((first.words[0] as Word).text);

/** Whether a row begins where an inner column of the rows around it does. */
const isInnerCell = ([first]: readonly Segment[], near: readonly Segment[][], lineHeight: number) =>
  near.some(([other]) => first && other && other.left < first.left - lineHeight);

const sizeOf = (row: readonly Segment[]) => ((row[0] as Segment).words[0] as Word).style.size;

function isTitle(row: readonly Segment[], near: readonly Segment[][]): boolean {
  if (row.length > 2 || (row.length === 2 && (row[0] as Segment).words.length > 1)) return false;
  const [number, ...title] = row.flatMap(({ words }) => words);
  if (!number || !title.some(({ text }) => /\p{L}{2}/u.test(text))) return false;
  const { size } = number.style;
  if (title.some(({ style }) => Math.abs(style.size - size) > MAX_SIZE_STEP * size)) return false;
  if (near.length > 0 && size > LARGER * median(near.map(sizeOf))) return true;
  return PART.test(number.text) && [number, ...title].every(({ style }) => style.bold);
}
