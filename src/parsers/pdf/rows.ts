import { type Box, centerY, heightOf } from './boxes.ts';

/**
 * Groups boxes that stand side by side: two boxes are in one row when they share half of the lower one's height.
 * @returns rows from top to bottom, each from left to right
 */
export function groupRows<B extends Box>(boxes: readonly B[]): B[][] {
  const sorted = [...boxes].sort((a, b) => centerY(a) - centerY(b));
  const rows: B[][] = [];
  let top = 0;
  let bottom = 0;
  for (const box of sorted) {
    const row = rows.at(-1);
    const shared = Math.min(bottom, box.bottom) - Math.max(top, box.top);
    if (row && shared > 0.5 * Math.min(heightOf(box), bottom - top)) {
      row.push(box);
      // The band of a row stays that of its tallest box, so that rows do not chain down the page.
      if (heightOf(box) > bottom - top) ({ top, bottom } = box);
    } else {
      rows.push([box]);
      ({ top, bottom } = box);
    }
  }
  for (const row of rows) row.sort((a, b) => a.left - b.left);
  return rows;
}
