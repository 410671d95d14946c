import { unionOf } from '../boxes.ts';
import type { Segment } from '../types.ts';

/** Maximum distance of aligned edges, as a multiple of the line height. */
const MAX_SHIFT = 0.15;
/** Maximum gap between the name of a group and the rows around it, as a multiple of the line height. */
const MAX_GAP = 1.2;
/** Maximum difference of the font sizes of the name and of the rows, as a share of the size. */
const MAX_SIZE_STEP = 0.08;
/** Minimum share of the cells below the name that begin or end where cells above it do. */
const MIN_ALIGNED = 0.6;

/**
 * Whether a row is the name of the group of rows below it, in a table without rules: a text at the left edge,
 * in the size of the table, between two rows that have their cells at the same positions.
 * @param lineHeight in points
 */
export function isGroupRow(rows: readonly Segment[][], place: number, lineHeight: number): boolean {
  const [name, more] = rows[place] ?? [];
  const [above, below] = [rows[place - 1], rows[place + 1]];
  if (!name || more || !above || !below || above.length < 2 || below.length < 2) return false;
  const shift = MAX_SHIFT * lineHeight;
  if ([above, below].some(([first]) => !first || Math.abs(first.left - name.left) > shift)) return false;
  const gaps = [name.top - unionOf(above).bottom, unionOf(below).top - name.bottom];
  if (Math.max(...gaps) > MAX_GAP * lineHeight) return false;
  const size = sizeOf(below[0] as Segment);
  if (Math.abs(sizeOf(name) - size) > MAX_SIZE_STEP * size) return false;
  const others = below.slice(1);
  const aligned = others.filter(({ left, right }) =>
    above.some((cell) => Math.abs(cell.left - left) < shift || Math.abs(cell.right - right) < shift),
  );
  return aligned.length >= MIN_ALIGNED * others.length && name.right < unionOf([...above, ...below]).right;
}

const sizeOf = ({ words }: Segment) => (words[0] as Segment['words'][number]).style.size;
