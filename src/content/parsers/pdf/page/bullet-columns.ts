import { least } from '../boxes.ts';
import type { Segment } from '../types.ts';
import { isBullet } from './lists.ts';

/** Minimum number of items in each list. */
const MIN_ITEMS = 2;
/** Maximum distance of the bullets of a list, as a multiple of the font size. */
const MAX_SHIFT = 0.3;

/**
 * Whether two texts side by side are lists with bullets, as on slides, rather than the cells of a table. Each
 * can have a heading, and items in it can have several lines and items of their own.
 */
export const areBulletLists = (left: readonly Segment[], right: readonly Segment[]): boolean =>
  [left, right].every(isBulletList);

function isBulletList(lines: readonly Segment[]): boolean {
  const items = lines.filter(({ words: [first, second] }) => first && second && isBullet(first.text));
  const [first] = items;
  if (!first || items.length < MIN_ITEMS) return false;
  const start = least(items.map(({ left }) => left));
  const top = least(items.map((item) => item.top));
  const shift = MAX_SHIFT * (first.words[0] as Segment['words'][number]).style.size;
  return lines.every((line) => line.bottom <= top || line.left > start - shift);
}
