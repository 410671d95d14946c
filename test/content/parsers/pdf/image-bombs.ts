/** Coded images that say they have billions of pixels. */

/** Writes unsigned integers, most significant byte first: pairs of a value and its number of bytes. */
const bytes = (...fields: (readonly [value: number, length: number])[]): Buffer =>
  Buffer.concat(
    fields.map(([value, length]) => {
      const field = Buffer.alloc(length);
      field.writeUIntBE(value, 0, length);
      return field;
    }),
  );

/**
 * A JPEG 2000 codestream (ISO/IEC 15444-1, annex A) of three components, whose only tile is cut off.
 * @param side width and height in pixels
 */
export function jpegBomb2000(side: number): Buffer {
  const component = [[7, 1] as const, [1, 1] as const, [1, 1] as const];
  const size = bytes(
    ...([
      [0xff4fff51, 4],
      [47, 2],
      [0, 2],
      [side, 4],
      [side, 4],
      [0, 4],
      [0, 4],
    ] as const),
    ...([
      [side, 4],
      [side, 4],
      [0, 4],
      [0, 4],
      [3, 2],
    ] as const),
    ...[...component, ...component, ...component],
  );
  // Five levels of the reversible wavelet, in code blocks of 64 by 64 pixels.
  const coding = bytes(
    [0xff52, 2],
    [12, 2],
    [0, 1],
    [0, 1],
    [1, 2],
    [0, 1],
    [5, 1],
    [4, 1],
    [4, 1],
    [0, 1],
    [1, 1],
  );
  const quantization = Buffer.concat([bytes([0xff5c, 2], [19, 2], [0x40, 1]), Buffer.alloc(16, 0x48)]);
  const tile = bytes([0xff90, 2], [10, 2], [0, 2], [0, 4], [0, 1], [1, 1], [0xff93, 2]);
  return Buffer.concat([size, coding, quantization, tile, Buffer.alloc(64, 0x55), bytes([0xffd9, 2])]);
}

/** A segment of JBIG2 (ITU-T T.88, 7.2). */
const segment = (number: number, type: number, data: Buffer) =>
  Buffer.concat([bytes([number, 4], [type, 1], [0, 1], [1, 1], [data.length, 4]), data]);

/**
 * A JBIG2 image as PDF files contain it: a page, and one generic region of the same size in which typical
 * prediction makes a few bytes stand for all lines.
 * @param side width and height in pixels
 */
export function jbig2Bomb(side: number): Buffer {
  const page = bytes([side, 4], [side, 4], [0, 4], [0, 4], [0, 1], [0, 2]);
  const region = Buffer.concat([
    bytes([side, 4], [side, 4], [0, 4], [0, 4], [0, 1], [0x08, 1]),
    // The adaptive template pixels of template 0.
    Buffer.from([3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe]),
    Buffer.alloc(64),
    Buffer.from([0xff, 0xac]),
  ]);
  return Buffer.concat([segment(0, 48, page), segment(1, 38, region)]);
}
