/** How a part of a text is written. */
export interface CharacterStyle {
  /** Number of characters, line ends included. */
  length: number;
  font?: number;
  /** How far the text is raised, in percent of its size; negative for lowered text. */
  raise: number;
}

/**
 * Sizes in bytes of the properties of paragraphs that are present where any of the bits is set
 * (TextPFException, 2.9.20).
 */
const PARAGRAPH_PROPERTIES: [bits: number, bytes: number][] = [
  [0xf, 2],
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
];
const TAB_STOPS = 0x100000;
/** Those behind the tab stops. */
const MORE_PARAGRAPH_PROPERTIES: [bits: number, bytes: number][] = [
  [0x10000, 2],
  [0xe0000, 2],
  [0x200000, 2],
];
const STYLE_FLAGS = 0xffff;
const FONT = 0x10000;
const POSITION = 0x80000;
/** The properties of characters between the font and the position (TextCFException, 2.9.13). */
const CHARACTER_PROPERTIES: [bits: number, bytes: number][] = [
  [0x200000, 2],
  [0x400000, 2],
  [0x800000, 2],
  [0x20000, 2],
  [0x40000, 4],
];

/**
 * Reads the styles of the characters of a text (StyleTextPropAtom, MS-PPT 2.9.44).
 * @param length number of characters of the text
 * @throws RangeError if the record is damaged
 */
export function readCharacterStyles(content: Buffer, length: number): CharacterStyle[] {
  let at = 0;
  const skip = (mask: number, properties: [bits: number, bytes: number][]) => {
    for (const [bits, bytes] of properties) if ((mask & bits) !== 0) at += bytes;
  };
  // The last line end is not in the text, but counted.
  for (let left = length + 1; left > 0; ) {
    left -= Math.max(1, content.readUInt32LE(at));
    const mask = content.readUInt32LE(at + 6);
    at += 10;
    skip(mask, PARAGRAPH_PROPERTIES);
    if ((mask & TAB_STOPS) !== 0) at += 2 + 4 * content.readUInt16LE(at);
    skip(mask, MORE_PARAGRAPH_PROPERTIES);
  }
  const styles: CharacterStyle[] = [];
  for (let left = length + 1; left > 0 && at < content.length; ) {
    const style: CharacterStyle = { length: Math.max(1, content.readUInt32LE(at)), raise: 0 };
    const mask = content.readUInt32LE(at + 4);
    at += 8;
    if ((mask & STYLE_FLAGS) !== 0) at += 2;
    if ((mask & FONT) !== 0) {
      style.font = content.readUInt16LE(at);
      at += 2;
    }
    skip(mask, CHARACTER_PROPERTIES);
    if ((mask & POSITION) !== 0) {
      style.raise = content.readInt16LE(at);
      at += 2;
    }
    styles.push(style);
    left -= style.length;
  }
  return styles;
}
