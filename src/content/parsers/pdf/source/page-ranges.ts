import type { LiteParseConfig, ParseResult } from '@llamaindex/liteparse';

/**
 * Number of pages that are parsed at once. liteparse holds everything that it knows of these pages outside of
 * V8's heap until it returns them: 0.3 MB of a page of text, of which our objects take a third.
 */
const RANGE = 100;

/**
 * Parses a document in ranges of pages, so that the memory of liteparse does not grow with its length. A short
 * document is parsed at once.
 * @param config the configuration, with `maxPages` unless it is for chosen pages
 * @param parse parses the file with a configuration
 * @returns the same as for the whole document, but `text` is that of the first range, and `duplicateOf` names an
 *   image of the same range only
 * @throws what `parse` throws
 */
export async function parseInRanges(
  config: Partial<LiteParseConfig>,
  parse: (config: Partial<LiteParseConfig>) => Promise<ParseResult>,
): Promise<ParseResult> {
  const { maxPages, targetPages } = config;
  if (targetPages || maxPages === undefined || maxPages <= RANGE) return parse(config);
  const result = await parse({ ...config, maxPages: RANGE });
  const last = Math.min(result.totalPages, maxPages);
  for (let first = RANGE + 1; first <= last; first += RANGE) {
    const targetPages = `${first}-${Math.min(last, first + RANGE - 1)}`;
    const { pages, images, pageErrors } = await parse({ ...config, targetPages });
    result.pages.push(...pages);
    result.images.push(...images);
    result.pageErrors.push(...pageErrors);
  }
  return result;
}
