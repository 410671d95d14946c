import { expect, test } from 'vitest';
import { MAX_TIFF_PAGES, splitTiff } from '../../../../src/content/parsers/pdf/ocr/tiff-pages.ts';

const FIRST = 8;
/** A directory with one entry, the kind of its image, which is a page if the kind is 2. */
const DIRECTORY_BYTES = 18;

/** A TIFF file of directories, one after the other, without pixels. */
function writeTiff(kinds: number[], { order = 'II', last = 0 } = {}): Buffer {
  const file = Buffer.alloc(FIRST + DIRECTORY_BYTES * kinds.length);
  const little = order === 'II';
  const uint16 = (value: number, at: number) =>
    little ? file.writeUInt16LE(value, at) : file.writeUInt16BE(value, at);
  const uint32 = (value: number, at: number) =>
    little ? file.writeUInt32LE(value, at) : file.writeUInt32BE(value, at);
  file.write(order, 'latin1');
  uint16(42, 2);
  uint32(FIRST, 4);
  for (const [place, kind] of kinds.entries()) {
    const at = FIRST + place * DIRECTORY_BYTES;
    uint16(1, at);
    uint16(254, at + 2);
    uint16(4, at + 4);
    uint32(1, at + 6);
    uint32(kind, at + 10);
    uint32(place + 1 < kinds.length ? at + DIRECTORY_BYTES : last, at + 14);
  }
  return file;
}

/** The offsets with which the pages begin, in units of directories. */
const placesOf = (file: Buffer): number[] => {
  const { count, page } = splitTiff(file);
  const offsets = Array.from({ length: count }, (_, place) =>
    file[0] === 0x49 ? page(place).readUInt32LE(4) : page(place).readUInt32BE(4),
  );
  return offsets.map((offset) => (offset - FIRST) / DIRECTORY_BYTES);
};

test.each(['II', 'MM'])('a TIFF file of the byte order %s is split into its pages', (order) => {
  expect(placesOf(writeTiff([2, 2, 2], { order }))).toEqual([0, 1, 2]);
});

test('smaller copies and masks of the images of a TIFF file are no pages', () => {
  expect(placesOf(writeTiff([2, 1, 4, 2]))).toEqual([0, 3]);
});

test('a TIFF file whose directories are a cycle, and one that ends within a directory, end as the pages up to there', () => {
  expect(placesOf(writeTiff([2, 2], { last: FIRST }))).toEqual([0, 1]);
  expect(placesOf(writeTiff([2, 2, 2]).subarray(0, FIRST + 2.5 * DIRECTORY_BYTES))).toEqual([0, 1]);
});

test('a TIFF file has at most as many pages as are recognised', () => {
  const { count, isCut } = splitTiff(writeTiff(Array.from({ length: MAX_TIFF_PAGES + 5 }, () => 2)));
  expect([count, isCut]).toEqual([MAX_TIFF_PAGES, true]);
});

test.each([
  ['an image of another type', Buffer.from('\x89PNG\r\n and so on', 'latin1')],
  ['nothing', Buffer.alloc(0)],
  ['a TIFF file without a directory', Buffer.from('II*\0\xff\xff\xff\xff', 'latin1')],
])('%s is one page, itself', (_, file) => {
  const { count, page } = splitTiff(file);
  expect([count, page(0)]).toEqual([1, file]);
});
