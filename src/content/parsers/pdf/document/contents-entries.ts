import type { Block, Line } from '../types.ts';

const PAGE_NUMBER = /^\d{1,4}$/;
/** Minimum distance of the page number from the title, as a multiple of the font size. */
const MIN_GAP = 1.5;
/** Number of entries below each other that make a table of contents. */
const MIN_ENTRIES = 3;
/** Number of blocks between two entries, such as one whose page number is lost. */
const MAX_BETWEEN = 1;

/**
 * Finds the lines of tables of contents: a title and a page number at the same right edge as those of the lines
 * below each other, which ascend. Those of chapters are often bold, and have no dots before the number.
 */
export function findContentsEntries(blocks: readonly Block[]): Set<Block> {
  const found = new Set<Block>();
  let run: Entry[] = [];
  const close = () => {
    if (run.length >= MIN_ENTRIES) for (const { block } of run) found.add(block);
    run = [];
  };
  let between = 0;
  for (const block of blocks) {
    const entry = entryOf(block);
    const last = run.at(-1);
    if (!entry) {
      if (++between > MAX_BETWEEN) close();
      continue;
    }
    if (last && !follows(entry, last)) close();
    run.push(entry);
    between = 0;
  }
  close();
  return found;
}

interface Entry {
  block: Block;
  number: number;
  right: number;
  size: number;
}

const follows = (entry: Entry, last: Entry) =>
  entry.number >= last.number && Math.abs(entry.right - last.right) < entry.size;

/** A block as an entry; undefined if its last line does not end with a page number apart from the rest. */
function entryOf(block: Block): Entry | undefined {
  if (!('lines' in block) || block.role) return undefined;
  const { words } = block.lines.at(-1) as Line;
  const [title, number] = words.slice(-2);
  if (!title || !number || !PAGE_NUMBER.test(number.text)) return undefined;
  const { size } = number.style;
  if (number.left - title.right < MIN_GAP * size) return undefined;
  return { block, number: Number(number.text), right: number.right, size };
}
