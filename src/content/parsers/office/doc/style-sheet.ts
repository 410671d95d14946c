import { isCodeStyle, isMonospaced } from '../fonts.ts';
import { propertyChanges } from './property-changes.ts';

/** Number of the property that sets the font of characters (sprmCRgFtc0). */
export const FONT = 0x4a4f;
/** Number that marks the built-in style for titles in all languages. */
const TITLE = 62;
const CHARACTER_STYLE = 2;
/** Offset of the name within an entry of the font table (FFN, MS-DOC 2.9.86). */
const FONT_NAME = 39;

/** The styles of a document that matter, by their numbers. */
export interface StyleSheet {
  titles: ReadonlySet<number>;
  /** Character styles for code. */
  codeStyles: ReadonlySet<number>;
}

/** Reads which fonts are monospaced (SttbfFfn, MS-DOC 2.9.286), by their numbers. */
export function readCodeFonts(table: Buffer): Set<number> {
  const fonts = new Set<number>();
  const count = table.length < 4 ? 0 : table.readUInt16LE(0);
  let at = 4;
  for (let number = 0; number < count && at < table.length; number++) {
    const end = at + 1 + (table[at] as number);
    const names = table.toString('utf16le', at + 1 + FONT_NAME, end).split('\0');
    if (isMonospaced(names[0] ?? '')) fonts.add(number);
    at = end;
  }
  return fonts;
}

/**
 * Reads the style sheet (STSH, MS-DOC 2.9.271).
 * @throws RangeError if it is damaged
 */
export function readStyleSheet(sheet: Buffer, codeFonts: ReadonlySet<number>): StyleSheet {
  const titles = new Set<number>();
  const codeStyles = new Set<number>();
  if (sheet.length === 0) return { titles, codeStyles };
  const baseBytes = sheet.readUInt16LE(4);
  let at = 2 + sheet.readUInt16LE(0);
  const count = sheet.readUInt16LE(2);
  for (let number = 0; number < count && at + 2 <= sheet.length; number++) {
    const size = sheet.readUInt16LE(at);
    const style = sheet.subarray(at + 2, at + 2 + size);
    at += 2 + size + (size % 2);
    if (style.length < baseBytes + 2) continue;
    const kind = style.readUInt16LE(2) & 0xf;
    const parent = style.readUInt16LE(2) >> 4;
    const { name, changes } = readNameAndChanges(style, baseBytes);
    if ((style.readUInt16LE(0) & 0xfff) === TITLE || titles.has(parent)) titles.add(number);
    if (kind !== CHARACTER_STYLE) continue;
    const hasCodeFont = changes.some(({ sprm, value }) => sprm === FONT && codeFonts.has(value));
    if (isCodeStyle(name) || hasCodeFont || codeStyles.has(parent)) codeStyles.add(number);
  }
  return { titles, codeStyles };
}

/** The name of a style and the first of its lists of changes, which for character styles is the only one. */
function readNameAndChanges(style: Buffer, baseBytes: number) {
  const nameEnd = baseBytes + 2 + 2 * style.readUInt16LE(baseBytes);
  const listAt = nameEnd + 2;
  const size = listAt + 2 <= style.length ? style.readUInt16LE(listAt) : 0;
  return {
    name: style.toString('utf16le', baseBytes + 2, nameEnd),
    changes: [...propertyChanges(style.subarray(listAt + 2, listAt + 2 + size))],
  };
}
