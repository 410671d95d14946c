import { type LiteParse, type ParseResult, toParseResult } from '@llamaindex/liteparse';

type NativeResult = Parameters<typeof toParseResult>[0];

/**
 * Parses a file like `parse` of liteparse, which copies the file and then each run of text. The copies take
 * as long as a tenth of everything else, and runs have the same members before and after. liteparse has no
 * public way without copies, so this uses its private property `_native`; a test compares the results of
 * both, and so fails if a new version changes it.
 * @throws Error if PDFium rejects the file
 */
export async function parseWithoutCopies(parser: LiteParse, file: Buffer): Promise<ParseResult> {
  // The property holds the native parser in the version that package.json pins.
  const { _native: native } = parser as unknown as {
    _native: { parse(file: Buffer): Promise<NativeResult> };
  };
  const result = await native.parse(file);
  const textItems = result.pages.map((page) => page.textItems);
  for (const page of result.pages) page.textItems = [];
  const parsed = toParseResult(result);
  for (const [place, page] of parsed.pages.entries()) page.textItems = textItems[place] ?? [];
  return parsed;
}
