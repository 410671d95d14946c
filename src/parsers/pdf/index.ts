import { layoutDocument } from './document.ts';
import { readWithLiteParse } from './liteparse.ts';
import { joinContinuedTables } from './tables/continued.ts';
import { toHtml } from './to-html.ts';

export async function parsePdf(bytes: Uint8Array) {
  const source = await readWithLiteParse(bytes, { maxPages: 10_000, images: false });
  const pages = layoutDocument(source.pages);
  return {
    html: toHtml(joinContinuedTables(pages.flat())),
    pages: pages.map((b) => toHtml(b)),
    blocks: pages,
  };
}
