import { writeCompoundFile } from '../compound-file-writer.ts';

/** A text of a document for Word 97, with its property changes (sprm and operand). */
export interface DocRun {
  text: string;
  changes?: Buffer;
}

const PAGE = 512;
/** Where the text begins in its stream, behind the file information block. */
const TEXT_AT = 2048;
/** The number of the shape of a text box. */
const SHAPE = 1025;

/** The change of a property, with an operand of one or two bytes. */
export function change(sprm: number, operand: number): Buffer {
  const bytes = Buffer.alloc(sprm >> 13 === 1 || sprm >> 13 === 0 ? 3 : 4);
  bytes.writeUInt16LE(sprm, 0);
  if (bytes.length === 3) bytes.writeUInt8(operand, 2);
  else bytes.writeUInt16LE(operand, 2);
  return bytes;
}

/**
 * Writes a document for Word 97 (MS-DOC), all of whose paragraphs have the same style. Fonts: 0 is Arial, 1
 * Courier New.
 * @param options.textBox the number of characters at the end that are the text of a text box, and where that
 * is anchored
 */
export function writeDoc(
  runs: readonly DocRun[],
  {
    paragraphStyle = 0,
    textBox,
  }: { paragraphStyle?: number; textBox?: { length: number; anchor: number } } = {},
): Buffer {
  const text = runs.map((run) => run.text).join('');
  const end = TEXT_AT + 2 * text.length;
  const pageAt = Math.ceil(end / PAGE) * PAGE;
  const stream = Buffer.alloc(pageAt + 2 * PAGE);
  stream.write(text, TEXT_AT, 'utf16le');
  let offset = TEXT_AT;
  const ranges = runs.map(({ text, changes = Buffer.alloc(0) }) => {
    const start = offset;
    offset += 2 * text.length;
    return { start, end: offset, changes };
  });
  characterPage(ranges).copy(stream, pageAt);
  paragraphPage(text, paragraphStyle).copy(stream, pageAt + PAGE);
  const tables = new Tables(stream);
  tables.add(1, styleSheet());
  tables.add(12, u32(TEXT_AT, end, pageAt / PAGE));
  tables.add(13, u32(TEXT_AT, end, pageAt / PAGE + 1));
  tables.add(15, fontTable(['Arial', 'Courier New']));
  tables.add(33, pieceTable(text.length));
  stream.writeUInt16LE(0xa5ec, 0);
  stream.writeUInt16LE(193, 2);
  // The table stream is `1Table`.
  stream.writeUInt16LE(0x0200, 10);
  stream.writeUInt16LE(14, 32);
  stream.writeUInt16LE(22, 62);
  stream.writeUInt32LE(text.length - (textBox?.length ?? 0), 76);
  if (textBox) {
    stream.writeUInt32LE(textBox.length, 100);
    tables.add(40, Buffer.concat([u32(textBox.anchor, textBox.anchor + 1, SHAPE), Buffer.alloc(22)]));
    tables.add(56, Buffer.concat([u32(0, textBox.length), Buffer.alloc(14), u32(SHAPE), Buffer.alloc(4)]));
  }
  stream.writeUInt16LE(93, 152);
  return writeCompoundFile({ WordDocument: stream, '1Table': tables.content });
}

/** The table stream; the offsets and lengths of its structures are in the file information block. */
class Tables {
  content = Buffer.alloc(0);
  readonly #information: Buffer;

  constructor(information: Buffer) {
    this.#information = information;
  }

  add(number: number, structure: Buffer): void {
    this.#information.writeUInt32LE(this.content.length, 154 + 8 * number);
    this.#information.writeUInt32LE(structure.length, 158 + 8 * number);
    this.content = Buffer.concat([this.content, structure]);
  }
}

function characterPage(ranges: readonly { start: number; end: number; changes: Buffer }[]): Buffer {
  const page = Buffer.alloc(PAGE);
  let at = PAGE - 2;
  for (const [place, { start, end, changes }] of ranges.entries()) {
    page.writeUInt32LE(start, 4 * place);
    page.writeUInt32LE(end, 4 * place + 4);
    if (changes.length === 0) continue;
    at = (at - changes.length - 1) & ~1;
    page[4 * (ranges.length + 1) + place] = at / 2;
    page[at] = changes.length;
    changes.copy(page, at + 1);
  }
  page[PAGE - 1] = ranges.length;
  return page;
}

function paragraphPage(text: string, style: number): Buffer {
  const page = Buffer.alloc(PAGE);
  const ends = [...text.matchAll(/\r/g)].map(({ index }) => TEXT_AT + 2 * (index + 1));
  const entryAt = PAGE - 8;
  for (const [place, end] of [TEXT_AT, ...ends].entries()) page.writeUInt32LE(end, 4 * place);
  for (const place of ends.keys()) page[4 * (ends.length + 1) + 13 * place] = entryAt / 2;
  page[entryAt] = 2;
  page.writeUInt16LE(style, entryAt + 1);
  page[PAGE - 1] = ends.length;
  return page;
}

/** The styles 0 (normal) and 1 (title). */
function styleSheet(): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt16LE(18, 0);
  header.writeUInt16LE(2, 2);
  header.writeUInt16LE(10, 4);
  const styles = [
    { name: 'Normal', builtIn: 0, parent: 0xfff },
    { name: 'Titel', builtIn: 62, parent: 0 },
  ].map(({ name, builtIn, parent }) => {
    const base = Buffer.alloc(10);
    base.writeUInt16LE(builtIn, 0);
    base.writeUInt16LE(1 | (parent << 4), 2);
    base.writeUInt16LE(2, 4);
    const content = Buffer.concat([
      base,
      u16(name.length),
      Buffer.from(`${name}\0`, 'utf16le'),
      u16(2, 0, 0),
    ]);
    return Buffer.concat([u16(content.length), content]);
  });
  return Buffer.concat([header, ...styles]);
}

function fontTable(names: readonly string[]): Buffer {
  const fonts = names.map((name) => {
    const content = Buffer.concat([Buffer.alloc(39), Buffer.from(`${name}\0`, 'utf16le')]);
    return Buffer.concat([Buffer.from([content.length]), content]);
  });
  return Buffer.concat([u16(names.length, 0), ...fonts]);
}

const pieceTable = (length: number) =>
  Buffer.concat([Buffer.from([2]), u32(16, 0, length), u16(0), u32(TEXT_AT), u16(0)]);

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [place, value] of values.entries()) bytes.writeUInt16LE(value, 2 * place);
  return bytes;
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [place, value] of values.entries()) bytes.writeUInt32LE(value, 4 * place);
  return bytes;
}
