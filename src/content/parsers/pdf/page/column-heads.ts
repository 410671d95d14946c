import { type Box, greatest, least, overlapY } from '../boxes.ts';

/** Maximum gap between the headings of two columns and the columns, as a multiple of the line height. */
const MAX_GAP = 2.5;
/** Maximum distance of a heading from the beginning of its column, as a multiple of the line height. */
const MAX_INDENT = 2.5;
const MAX_SHIFT = 0.3;

/**
 * The number of boxes in the first row above two columns that belongs to neither of them, such as a running
 * head: it has several boxes and a wide gap below it, and they are no headings of the columns.
 * @param items from top to bottom
 * @param gutter x coordinate that separates the columns
 */
export function headEnd(items: readonly Box[], gutter: number, lineHeight: number): number {
  const [first] = items;
  if (!first) return 0;
  let end = 1;
  while (items[end] && overlapY(first, items[end] as Box) > 0.5 * lineHeight) end++;
  const heads = items.slice(0, end);
  const bottom = greatest(heads.map((item) => item.bottom));
  const next = items[end];
  if (end === 1 || !next || next.top - bottom <= lineHeight) return 0;
  const isNear = next.top - bottom < MAX_GAP * lineHeight;
  return isNear && areHeadings(heads, items.slice(end), gutter, lineHeight) ? 0 : end;
}

/** Whether each of the two columns has one heading above it that begins where it does, or a little before. */
function areHeadings(
  heads: readonly Box[],
  items: readonly Box[],
  gutter: number,
  lineHeight: number,
): boolean {
  const isLeft = ({ right }: Box) => right <= gutter + 0.01;
  return [true, false].every((side) => {
    const [head, more] = heads.filter((box) => isLeft(box) === side);
    const lefts = items.filter((box) => isLeft(box) === side).map(({ left }) => left);
    if (!head || more || lefts.length === 0) return false;
    const indent = least(lefts) - head.left;
    return indent > -MAX_SHIFT * lineHeight && indent < MAX_INDENT * lineHeight;
  });
}
