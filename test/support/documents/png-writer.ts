import { crc32, deflateSync } from 'node:zlib';

interface PngContent {
  width: number;
  height: number;
  /** 0 gray, 2 colours, 4 gray with opacity, 6 colours with opacity. */
  colourType: 0 | 2 | 4 | 6;
  /** Eight bits a channel, row by row. */
  pixels: Buffer;
  /** The filter of each row, from 0 to 4; 0 where it is missing. */
  filters?: number[];
  interlaced?: boolean;
}

/** Writes a PNG file of eight bits a channel. */
export function writePng({
  width,
  height,
  colourType,
  pixels,
  filters = [],
  interlaced,
}: PngContent): Buffer {
  const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[colourType];
  const rowBytes = width * channels;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType, 0, 0, interlaced ? 1 : 0], 8);
  const byteAt = (row: number, at: number) => (row < 0 || at < 0 ? 0 : (pixels[row * rowBytes + at] ?? 0));
  const rows = Array.from({ length: height }, (_, row) => {
    const filter = filters[row] ?? 0;
    const bytes = Array.from({ length: rowBytes }, (_, at) => {
      const [left, up] = [byteAt(row, at - channels), byteAt(row - 1, at)];
      const corner = at < channels ? 0 : byteAt(row - 1, at - channels);
      const plane = left + up - corner;
      const [paeth = 0] = [left, up, corner].sort((a, b) => Math.abs(plane - a) - Math.abs(plane - b));
      const expected = [0, left, up, (left + up) >> 1, paeth][filter] ?? 0;
      return (byteAt(row, at) - expected) & 255;
    });
    return Buffer.from([filter, ...bytes]);
  });
  const data = deflateSync(Buffer.concat(rows));
  const middle = data.length >> 1;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    // Readers must join the parts.
    chunk('IDAT', data.subarray(0, middle)),
    chunk('IDAT', data.subarray(middle)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
