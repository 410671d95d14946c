/** The record of a sheet in the list of sheets (BrtBundleSh, MS-XLSB 2.4.316). */
const SHEET = 156;
/** Offset of the identifier of the part of the sheet: behind its visibility and number. */
const ID_OFFSET = 8;

/**
 * Reads the names of the sheets of a binary workbook, and the identifiers of their parts.
 * @param bytes the part `workbook.bin`
 * @throws RangeError if the part is damaged
 */
export function readBinarySheets(bytes: Buffer): { name: string; id: string }[] {
  const sheets: { name: string; id: string }[] = [];
  let at = 0;
  /** A number of seven bits in each byte, the lowest first (MS-XLSB 2.1.4). */
  const readNumber = (maxBytes: number) => {
    let number = 0;
    for (let place = 0; place < maxBytes; place++) {
      const byte = bytes.readUInt8(at++);
      number += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) break;
    }
    return number;
  };
  while (at < bytes.length) {
    const type = readNumber(2);
    const end = readNumber(4) + at;
    if (type === SHEET) {
      const id = readString(bytes, at + ID_OFFSET);
      sheets.push({ id: id.text, name: readString(bytes, id.end).text });
    }
    at = end;
  }
  return sheets;
}

/** A string with its number of characters before it (XLWideString, MS-XLSB 2.5.169). */
function readString(bytes: Buffer, start: number): { text: string; end: number } {
  const from = start + 4;
  const end = from + 2 * bytes.readUInt32LE(start);
  return { text: bytes.toString('utf16le', from, Math.min(end, bytes.length)), end };
}
