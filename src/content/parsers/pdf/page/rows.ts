import { type Box, centerY, heightOf } from '../boxes.ts';

/**
 * Groups boxes that are side by side: boxes are in one row if they overlap vertically by half of the smaller
 * height.
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
      // A row has the extent of its tallest box rather than of all its boxes. Otherwise boxes at slightly
      // different heights would join row after row.
      if (heightOf(box) > bottom - top) ({ top, bottom } = box);
    } else {
      rows.push([box]);
      ({ top, bottom } = box);
    }
  }
  for (const row of rows) row.sort((a, b) => a.left - b.left);
  return rows;
}

/** Groups boxes that are above each other: those of two groups have no horizontal position in common. */
export function groupColumns<B extends Box>(boxes: readonly B[]): B[][] {
  const columns: B[][] = [];
  let end = -Infinity;
  for (const box of [...boxes].sort((a, b) => a.left - b.left)) {
    if (box.left > end) columns.push([]);
    columns.at(-1)?.push(box);
    end = Math.max(end, box.right);
  }
  return columns;
}
