import { nestListItems } from '../page/lists.ts';
import { layoutPages } from '../page/page-layout.ts';
import { findRunningHeads } from '../page/running-heads.ts';
import { withTablesInReadingOrder } from '../tables/right-to-left.ts';
import type { Block, SourcePage } from '../types.ts';
import { findPrintedFootnotes } from './footnotes.ts';
import { bodyStyle, findHeadings } from './headings.ts';
import { markRepeatedStamps } from './stamps.ts';
import { applyTags } from './tags.ts';

/** Arranges the words of a document into blocks. Returns the blocks of each page in reading order. */
export function layoutDocument(pages: readonly SourcePage[]): Block[][] {
  const heads = findRunningHeads(pages);
  const bodies = layoutPages(
    pages.map((page, place) => ({ page, words: (heads[place] as (typeof heads)[number]).words })),
  );
  const perPage = heads.map(({ header, footer }, place) => [...header, ...(bodies[place] ?? []), ...footer]);
  const blocks = markRepeatedStamps(withTablesInReadingOrder(perPage.flat()));
  const marked = applyTags(findHeadings(findPrintedFootnotes(blocks, bodyStyle(blocks))), pages);
  const byPage = Map.groupBy(marked, ({ page }) => page);
  return pages.map(({ number }) => nestListItems(byPage.get(number) ?? []));
}
