import { expect, test } from 'vitest';
import { readGrayPng } from '../../../../src/content/parsers/pdf/ocr/gray-png.ts';
import { writePng } from '../../../support/documents/png-writer.ts';

/** Bytes without a pattern, the same ones each time. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[at] = state;
  }
  return bytes;
}

const size = { width: 7, height: 10 };

test.each([0, 1, 2, 3, 4])(
  'rows of a PNG file with the filter %i are the shades that were written',
  async (filter) => {
    const pixels = noise(70);
    const filters = Array.from({ length: size.height }, (_, row) => (row % 2 === 0 ? filter : 4));
    expect(await readGrayPng(writePng({ ...size, colourType: 0, pixels, filters }))).toEqual({
      ...size,
      pixels,
    });
  },
);

test('the filters of a PNG file with colours and opacity refer to the same channel of the neighbouring pixels', async () => {
  const pixels = noise(280);
  const plain = await readGrayPng(writePng({ ...size, colourType: 6, pixels }));
  const filters = [1, 2, 3, 4, 1, 2, 3, 4, 3, 1];
  expect(await readGrayPng(writePng({ ...size, colourType: 6, pixels, filters }))).toEqual(plain);
});

test('colours become shades as bright as they are, and transparent pixels become white', async () => {
  const shadesOf = async (colourType: 2 | 4 | 6, channels: number[]) => {
    const width = channels.length / { 2: 3, 4: 2, 6: 4 }[colourType];
    const image = await readGrayPng(
      writePng({ width, height: 1, colourType, pixels: Buffer.from(channels) }),
    );
    return [...(image?.pixels ?? [])];
  };
  expect(await shadesOf(2, [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])).toEqual([76, 149, 28, 255]);
  expect(await shadesOf(4, [0, 0, 0, 255, 100, 255])).toEqual([255, 0, 100]);
  expect(await shadesOf(6, [0, 0, 0, 0, 0, 0, 0, 51, 9, 9, 9, 255])).toEqual([255, 204, 9]);
});

test('a PNG file that is interlaced, and a file of another type, are left to liteparse', async () => {
  const interlaced = writePng({ ...size, colourType: 0, pixels: noise(70), interlaced: true });
  expect(await readGrayPng(interlaced)).toBeUndefined();
  expect(await readGrayPng(Buffer.from('GIF89a'))).toBeUndefined();
});

test('a PNG file that ends early, has fewer rows than it says, or an unknown filter is damaged', async () => {
  const file = writePng({ ...size, colourType: 0, pixels: noise(70) });
  await expect(readGrayPng(file.subarray(0, 70))).rejects.toThrow();
  const tall = Buffer.from(file);
  tall.writeUInt32BE(11, 20);
  await expect(readGrayPng(tall)).rejects.toThrow('10 of 11 rows');
  const unknown = writePng({ ...size, colourType: 0, pixels: noise(70), filters: [5] });
  await expect(readGrayPng(unknown)).rejects.toThrow('filter 5');
});
