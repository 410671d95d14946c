/** The property changes of the text between two offsets of its stream. */
export interface FormattedRange {
  start: number;
  end: number;
  /** A list of property changes; for paragraphs it follows the number of their style. */
  changes: Buffer;
}

/** Formatting is stored in pages of this size, in bytes. */
const PAGE = 512;
/** Size of the entry of a paragraph, of which only the first byte matters. */
const PARAGRAPH_ENTRY = 13;

/** Reads the formatting of characters (PlcBteChpx and ChpxFkp, MS-DOC 2.8.5 and 2.9.33), sorted by offset. */
export const readCharacterFormats = (text: Buffer, table: Buffer): FormattedRange[] =>
  pagesOf(text, table).flatMap((page) =>
    rangesOf(page, 1, (at) => page.subarray(at + 1, at + 1 + (page[at] ?? 0))),
  );

/**
 * Reads the formatting of paragraphs (PlcBtePapx and PapxFkp, MS-DOC 2.8.6 and 2.9.174), sorted by offset.
 */
export const readParagraphFormats = (text: Buffer, table: Buffer): FormattedRange[] =>
  pagesOf(text, table).flatMap((page) =>
    rangesOf(page, PARAGRAPH_ENTRY, (at) => {
      const words = page[at] ?? 0;
      return words === 0
        ? page.subarray(at + 2, at + 2 + 2 * (page[at + 1] ?? 0))
        : page.subarray(at + 1, at + 2 * words);
    }),
  );

function pagesOf(text: Buffer, table: Buffer): Buffer[] {
  const count = Math.max(0, Math.floor((table.length - 4) / 8));
  const numbers = new Set<number>();
  for (let place = 0; place < count; place++)
    numbers.add(table.readUInt32LE(4 * (count + 1) + 4 * place) & 0x3fffff);
  return [...numbers]
    .map((number) => text.subarray(number * PAGE, (number + 1) * PAGE))
    .filter(({ length }) => length === PAGE);
}

/** @param entryBytes size of the entries, which begin with half the offset of the list in the page */
function rangesOf(page: Buffer, entryBytes: number, readList: (at: number) => Buffer): FormattedRange[] {
  const count = Math.min(page[PAGE - 1] ?? 0, Math.floor((PAGE - 5) / (4 + entryBytes)));
  return Array.from({ length: count }, (_, place) => {
    const at = 2 * (page[4 * (count + 1) + entryBytes * place] ?? 0);
    return {
      start: page.readUInt32LE(4 * place),
      end: page.readUInt32LE(4 * place + 4),
      changes: at === 0 ? Buffer.alloc(0) : readList(at),
    };
  });
}
