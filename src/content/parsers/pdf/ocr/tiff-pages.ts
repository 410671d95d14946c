/** Pages beyond this number are left out: each takes a second of CPU time or more. */
export const MAX_TIFF_PAGES = 100;

/** Sizes in a directory, in bytes: of the count of its entries, and of each entry. */
const COUNT_BYTES = 2;
const ENTRY_BYTES = 12;
/**
 * The tag of an entry that says what an image is, and the values of those that are no pages: smaller copies
 * and masks.
 */
const NEW_SUBFILE_TYPE = 254;
const NO_PAGE = 0b101;

/** The images of a file. */
interface TiffPages {
  /** How many there are, at most {@link MAX_TIFF_PAGES}. */
  count: number;
  /** Whether the file has more. */
  isCut: boolean;
  /** The file with one of its images as the first one, from 0. The bytes change with the next call. */
  page(place: number): Buffer;
}

/**
 * Finds the pages of a TIFF file, because readers of images take the first image only. Each page is the whole
 * file with the directory of that page as the first one (TIFF 6.0, section 2). Any other image is a file with
 * one page.
 */
export function splitTiff(file: Buffer): TiffPages {
  const offsets = pageOffsets(file);
  if (offsets.length < 2) return { count: 1, isCut: false, page: () => file };
  const copy = Buffer.from(file);
  return {
    count: Math.min(offsets.length, MAX_TIFF_PAGES),
    isCut: offsets.length > MAX_TIFF_PAGES,
    page(place) {
      // There are as many offsets as pages.
      const offset = offsets[place] as number;
      if (isLittleEndian(file)) copy.writeUInt32LE(offset, 4);
      else copy.writeUInt32BE(offset, 4);
      return copy;
    },
  };
}

const isLittleEndian = (file: Buffer) => file.toString('latin1', 0, 2) === 'II';

/**
 * The offsets of the directories of pages, at most one more than may be read. The list in a file can be a
 * cycle.
 */
function pageOffsets(file: Buffer): number[] {
  if (!/^(?:II\*\0|MM\0\*)$/.test(file.toString('latin1', 0, 4)) || file.length < 8) return [];
  const little = isLittleEndian(file);
  const uint16 = (at: number) => (little ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const uint32 = (at: number) => (little ? file.readUInt32LE(at) : file.readUInt32BE(at));
  const pages: number[] = [];
  const seen = new Set<number>();
  let offset = uint32(4);
  while (
    offset > 0 &&
    !seen.has(offset) &&
    seen.size < 10 * MAX_TIFF_PAGES &&
    pages.length <= MAX_TIFF_PAGES
  ) {
    seen.add(offset);
    if (offset + COUNT_BYTES > file.length) break;
    const next = offset + COUNT_BYTES + ENTRY_BYTES * uint16(offset);
    if (next + 4 > file.length) break;
    let kind = 0;
    for (let entry = offset + COUNT_BYTES; entry < next; entry += ENTRY_BYTES)
      if (uint16(entry) === NEW_SUBFILE_TYPE) kind = uint32(entry + 8);
    if ((kind & NO_PAGE) === 0) pages.push(offset);
    offset = uint32(next);
  }
  return pages;
}
