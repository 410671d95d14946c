import { lineText } from '../page/lines.ts';
import type { Block } from '../types.ts';

/** Number of pages from which a text across the direction of their lines belongs to the pages. */
const MIN_PAGES = 2;

/**
 * Gives texts in another direction than their page, such as watermarks, the role of running heads where
 * several pages have the same. The first one stays content.
 */
export function markRepeatedStamps(blocks: readonly Block[]): Block[] {
  const pages = new Map<string, Set<number>>();
  for (const block of blocks) {
    const text = stampText(block);
    if (text) pages.set(text, (pages.get(text) ?? new Set()).add(block.page));
  }
  const seen = new Set<string>();
  return blocks.map((block) => {
    const text = stampText(block);
    if (!text || (pages.get(text)?.size ?? 0) < MIN_PAGES) return block;
    const isOnlyPlace = !seen.has(text);
    seen.add(text);
    return { ...block, role: 'header', ...(isOnlyPlace && { isOnlyPlace }) };
  });
}

const stampText = (block: Block): string | undefined =>
  'lines' in block && 'isTurned' in block && block.isTurned ? block.lines.map(lineText).join(' ') : undefined;
