import type { Turn } from './orientation.ts';

/** The orientations that turn an image without mirroring it, by their numbers in Exif 2.3, 4.6.4. */
const TURNS = new Map<number, Turn>([
  [3, 180],
  [6, 270],
  [8, 90],
]);
const EXIF = 'Exif\0\0';
const ORIENTATION = 0x0112;
/** Cameras write about fifty entries. */
const MAX_ENTRIES = 500;

/**
 * By how many degrees the pixels of a JPEG file are turned clockwise, as the camera noted it in the Exif data;
 * 0 for other files and where it says nothing.
 */
export function exifTurn(file: Buffer): Turn {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return 0;
  // Each segment has a marker and its length. The pixels begin with the marker FFDA.
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== 0xda; ) {
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (file[at + 1] === 0xe1 && file.toString('latin1', at + 4, at + 4 + EXIF.length) === EXIF)
      return TURNS.get(orientationOf(file.subarray(at + 4 + EXIF.length, end))) ?? 0;
    at = end;
  }
  return 0;
}

/** The orientation in the first directory of Exif data, which has the form of a TIFF file; 0 without one. */
function orientationOf(data: Buffer): number {
  const isLittleEndian = data.toString('latin1', 0, 2) === 'II';
  const number16 = (at: number) =>
    at + 2 > data.length ? 0 : isLittleEndian ? data.readUInt16LE(at) : data.readUInt16BE(at);
  const number32 = (at: number) =>
    at + 4 > data.length ? 0 : isLittleEndian ? data.readUInt32LE(at) : data.readUInt32BE(at);
  const directory = number32(4);
  const count = Math.min(number16(directory), MAX_ENTRIES);
  for (let entry = 0; entry < count; entry++) {
    const at = directory + 2 + 12 * entry;
    if (number16(at) === ORIENTATION) return number16(at + 8);
  }
  return 0;
}
