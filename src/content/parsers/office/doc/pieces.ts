/** A part of the text that is stored in one place (MS-DOC 2.8.35). */
export interface Piece {
  /** Offset of the first byte in the stream of the text. */
  start: number;
  /** Offset behind the last byte. */
  end: number;
  /** Whether characters have one byte, in windows-1252, instead of two in UTF-16. */
  isCompressed: boolean;
}

const PROPERTIES = 1;
const PIECE_TABLE = 2;
const COMPRESSED = 0x40000000;

/**
 * Reads the piece table (Clx, MS-DOC 2.9.38), in the order of the text.
 * @param maxBytes limit for all pieces together: a damaged table can name the same place again and again
 * @throws RangeError if the table is damaged
 */
export function readPieces(structure: Buffer, maxBytes: number): Piece[] {
  let at = 0;
  while (structure.readUInt8(at) === PROPERTIES) at += 3 + structure.readUInt16LE(at + 1);
  if (structure.readUInt8(at) !== PIECE_TABLE) throw new RangeError('The document has no piece table.');
  const table = structure.subarray(at + 5, at + 5 + structure.readUInt32LE(at + 1));
  const count = Math.floor((table.length - 4) / 12);
  const pieces: Piece[] = [];
  let left = maxBytes;
  for (let place = 0; place < count && left > 0; place++) {
    const length = table.readUInt32LE(4 * place + 4) - table.readUInt32LE(4 * place);
    const offset = table.readUInt32LE(4 * (count + 1) + 8 * place + 2);
    const isCompressed = (offset & COMPRESSED) !== 0;
    const start = isCompressed ? (offset & ~COMPRESSED) / 2 : offset;
    const bytes = Math.min(left, isCompressed ? length : 2 * length);
    if (bytes <= 0) continue;
    pieces.push({ start, end: start + bytes, isCompressed });
    left -= bytes;
  }
  return pieces;
}
