/**
 * The cell of a formula whose value is a text (BrtFmlaString, MS-XLSB 2.4.682), and of formulas with other
 * values.
 */
const TEXT_FORMULA = 8;
const FORMULAS = new Set([TEXT_FORMULA, 9, 10, 11]);
/** Offset of the length of that text: behind the column and the style. */
const TEXT_OFFSET = 8;
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
  for (const { type, start } of readRecords(bytes)) {
    if (type !== SHEET) continue;
    const id = readString(bytes, start + ID_OFFSET);
    sheets.push({ id: id.text, name: readString(bytes, id.end).text });
  }
  return sheets;
}

/**
 * Whether sheets of a binary workbook have formulas whose values are all empty texts. Programs write these
 * that cannot calculate. In other workbooks a single formula may well have such a value.
 * @param sheets the parts of the sheets
 * @throws RangeError if a part is damaged
 */
export function hasOnlyEmptyBinaryResults(sheets: Iterable<Buffer>): boolean {
  let hasFormulas = false;
  for (const sheet of sheets)
    for (const { type, start } of readRecords(sheet)) {
      if (!FORMULAS.has(type)) continue;
      if (type !== TEXT_FORMULA || sheet.readUInt32LE(start + TEXT_OFFSET) !== 0) return false;
      hasFormulas = true;
    }
  return hasFormulas;
}

/** Reads the types of the records of a part, and where their contents begin. */
function* readRecords(bytes: Buffer): Generator<{ type: number; start: number }> {
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
    const size = readNumber(4);
    const start = at;
    yield { type, start };
    at = start + size;
  }
}

/** A string with its number of characters before it (XLWideString, MS-XLSB 2.5.169). */
function readString(bytes: Buffer, start: number): { text: string; end: number } {
  const from = start + 4;
  const end = from + 2 * bytes.readUInt32LE(start);
  return { text: bytes.toString('utf16le', from, Math.min(end, bytes.length)), end };
}
