import type { Block, PdfListItem } from '../types.ts';

/** Maximum distance of the bullets of one list on two pages, in points. */
const MAX_SHIFT = 1;

/**
 * Joins lists that continue at the top of the next page: their items follow each other, before the footer and
 * the header between the pages, and are nested as deep as those before.
 */
export function joinLists(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  let deeper = 0;
  for (const block of blocks) {
    const place = block.kind === 'item' ? joined.findLastIndex(({ role }) => !role) : -1;
    const before = joined[place];
    if (block.kind !== 'item' || before?.kind !== 'item') {
      deeper = 0;
      joined.push(block);
      continue;
    }
    if (block.page > before.page) {
      const part = partBefore(joined.slice(0, place + 1), block);
      if (!part) {
        deeper = 0;
        joined.push(block);
        continue;
      }
      deeper = part.depth - block.depth;
    }
    joined.splice(place + 1, 0, { ...block, depth: Math.max(0, block.depth + deeper) });
  }
  return joined;
}

/** The item of the list at the end of a page that an item at the top of the next page follows. */
function partBefore(blocks: readonly Block[], item: PdfListItem): PdfListItem | undefined {
  for (let place = blocks.length - 1; place >= 0; place--) {
    const before = blocks[place] as Block;
    if (before.role) continue;
    if (before.kind !== 'item') return undefined;
    if (Math.abs(before.left - item.left) < MAX_SHIFT) return follows(before, item) ? before : undefined;
  }
  return undefined;
}

/** Whether an item has the bullet of the one before, or the next number. */
const follows = (before: PdfListItem, item: PdfListItem) =>
  item.ordered ? numberOf(item) === numberOf(before) + 1 : item.marker === before.marker;

const numberOf = ({ marker }: PdfListItem) => Number.parseInt(marker.replace('(', ''), 10);
