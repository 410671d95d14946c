import type { TextItem } from '@llamaindex/liteparse';
import { type Box, overlapX, overlapY } from '../boxes.ts';

/** Minimum overlap of two runs of one line across its direction, as a share of the height of the line. */
const MIN_OVERLAP = 0.6;
/** Limits the time for pages of turned text, of which each run then is a line. */
const MAX_RUNS = 1000;
/** Maximum gap between two runs of one line, as a multiple of its height. */
const MAX_GAP = 0.7;

/**
 * Joins the runs of lines that are written upwards or downwards, of which liteparse gives each word by itself.
 * @param items runs that are not level
 * @param rotationOf the clockwise rotation of a run, in degrees
 * @returns the runs of each line in the order in which they are read, the lines in that of the file
 */
export function joinTurned(items: readonly TextItem[], rotationOf: (item: TextItem) => number): TextItem[][] {
  if (items.length > MAX_RUNS) return items.map((item) => [item]);
  const lines: TextItem[][] = [];
  for (const item of [...items].sort((a, b) => b.y + b.height - a.y - a.height)) {
    const rotation = rotationOf(item);
    const line = lines.find((other) => {
      const last = other.at(-1) as TextItem;
      return rotationOf(last) === rotation && isNext(last, item);
    });
    if (line && (rotation === 90 || rotation === 270)) line.push(item);
    else lines.push([item]);
  }
  return lines
    .map((line) => (rotationOf(line[0] as TextItem) === 90 ? line.reverse() : line))
    .sort(([a], [b]) => items.indexOf(a as TextItem) - items.indexOf(b as TextItem));
}

/** Whether a run is above another one on the same vertical line. */
function isNext(below: TextItem, above: TextItem): boolean {
  const [a, b] = [toBox(below), toBox(above)];
  const height = Math.min(below.width, above.width);
  const gap = -overlapY(a, b);
  return overlapX(a, b) > MIN_OVERLAP * height && gap < MAX_GAP * height && gap > -0.5 * height;
}

const toBox = ({ x, y, width, height }: TextItem): Box => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
});
