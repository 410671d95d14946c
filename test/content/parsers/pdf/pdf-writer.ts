import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** Text and its position on a page, in points from the top left corner to the baseline. */
export interface PlacedText {
  x: number;
  y: number;
  text: string;
  size?: number;
  font?: 'Helvetica' | 'Helvetica-Bold' | 'Helvetica-Oblique' | 'Courier' | 'Courier-Bold';
  /** Counter-clockwise rotation in degrees. */
  angle?: number;
}

export interface PdfPageContent {
  texts: PlacedText[];
  /** Lines from one point to another. */
  strokes?: [x1: number, y1: number, x2: number, y2: number][];
  /** More operators of the content stream, such as tagged text. */
  raw?: string;
  links?: { rect: [left: number, top: number, right: number, bottom: number]; uri: string }[];
  /** Pictures with one byte for the brightness of each pixel. */
  images?: { rect: [number, number, number, number]; width: number; height: number; pixels: Buffer }[];
  /** Dictionaries of annotations and form fields, without their rectangles. */
  widgets?: { rect: [number, number, number, number]; dictionary: string }[];
}

export interface PdfFileOptions {
  info?: Record<string, string>;
  /** Encrypts the file with 40-bit RC4. If the user password is empty, everybody can read the file. */
  encryption?: { userPassword: string };
  /** Maps all characters to box-drawing characters, so that the text layer is garbled but the page is not. */
  garbledText?: boolean;
  /**
   * The character, in hexadecimal digits, that the space is mapped to; the printable ASCII characters follow.
   */
  mappedTo?: string;
  /** Whether each font has a map of its own from its codes to their characters. */
  ownMaps?: boolean;
  /** Entries of the catalog. */
  catalog?: string;
}

const FONTS = ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Courier', 'Courier-Bold'] as const;
/**
 * A CMap from the printable ASCII characters to others, of which the first one is given in hexadecimal
 * digits, and from those above U+00A0 to themselves.
 */
const characterMap = (first: string) => `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfrange <20> <7e> <${first}> <a1> <ff> <00a1> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end`;
const WIDTH = 612;
const HEIGHT = 792;

const escapeText = (text: string) => text.replace(/[\\()]/g, '\\$&');

/** Writes a PDF with the standard fonts. Its pages have 612 by 792 points. */
export function writePdf(
  pages: readonly PdfPageContent[],
  {
    info,
    catalog = '',
    encryption,
    garbledText = false,
    mappedTo = garbledText ? '2500' : undefined,
    ownMaps = false,
  }: PdfFileOptions = {},
): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const addMap = (first: string) => {
    const cmap = characterMap(first);
    return `/ToUnicode ${add(`<</Length ${cmap.length}>>\nstream\n${cmap}\nendstream`)} 0 R`;
  };
  const mapping = mappedTo ? addMap(mappedTo) : '';
  const fonts = FONTS.map((name) => {
    const map = ownMaps ? addMap('0020') : mapping;
    return add(`<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding${map}>>`);
  });
  const fontNames = fonts.map((object, place) => `/F${place} ${object} 0 R`).join('');
  const pictures = pages.map(({ images = [] }) =>
    images.map(({ width, height, pixels }) =>
      add(
        `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Length ${pixels.length}>>\nstream\n${pixels.toString('latin1')}\nendstream`,
      ),
    ),
  );
  const tree = objects.length + pages.length * 2 + pages.flatMap(annotationsOf).length + 1;
  const kids = pages.map((page, number) => {
    const own = (pictures[number] ?? []).map((object, place) => `/Im${place} ${object} 0 R`).join('');
    const resources = `<</Font<<${fontNames}>>/XObject<<${own}>>>>`;
    const content = contentOf(page);
    const stream = add(`<</Length ${content.length}>>\nstream\n${content}\nendstream`);
    const annotations = annotationsOf(page).map(add);
    return add(
      `<</Type/Page/Parent ${tree} 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Resources ${resources}/Contents ${stream} 0 R/Annots[${annotations.map((object) => `${object} 0 R`).join(' ')}]>>`,
    );
  });
  add(`<</Type/Pages/Count ${pages.length}/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]>>`);
  const fields = pages.flatMap((page) => page.widgets ?? []).length > 0 ? acroForm(objects) : '';
  const root = add(`<</Type/Catalog/Pages ${tree} 0 R${fields}${catalog}>>`);
  const information =
    info &&
    add(
      `<<${Object.entries(info)
        .map(([key, value]) => `/${key} (${escapeText(value)})`)
        .join('')}>>`,
    );
  return toFile(objects, root, information, encryption);
}

function contentOf({ texts, strokes = [], images = [], raw = '' }: PdfPageContent): string {
  const drawn = texts.map(({ x, y, text, size = 10, font = 'Helvetica', angle = 0 }) => {
    const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)].map((value) =>
      value.toFixed(4),
    );
    return `BT /F${FONTS.indexOf(font)} ${size} Tf ${cos} ${sin} ${-Number(sin)} ${cos} ${x} ${HEIGHT - y} Tm (${escapeText(text)}) Tj ET`;
  });
  const lines = strokes.map(([x1, y1, x2, y2]) => `${x1} ${HEIGHT - y1} m ${x2} ${HEIGHT - y2} l S`);
  const pictures = images.map(
    ({ rect: [left, top, right, bottom] }, place) =>
      `q ${right - left} 0 0 ${bottom - top} ${left} ${HEIGHT - bottom} cm /Im${place} Do Q`,
  );
  return [...drawn, ...lines, ...pictures, raw].join('\n');
}

function annotationsOf({ links = [], widgets = [] }: PdfPageContent): string[] {
  const rectangle = ([left, top, right, bottom]: number[]) =>
    `/Rect[${left} ${HEIGHT - (bottom ?? 0)} ${right} ${HEIGHT - (top ?? 0)}]`;
  return [
    ...links.map(
      ({ rect, uri }) => `<</Type/Annot/Subtype/Link${rectangle(rect)}/A<</S/URI/URI(${escapeText(uri)})>>>>`,
    ),
    ...widgets.map(({ rect, dictionary }) => `<</Type/Annot${rectangle(rect)}${dictionary}>>`),
  ];
}

function acroForm(objects: readonly string[]): string {
  const widgets = objects.flatMap((body, place) =>
    body.includes('/Subtype/Widget') ? [`${place + 1} 0 R`] : [],
  );
  return `/AcroForm<</Fields[${widgets.join(' ')}]>>`;
}

function toFile(
  objects: readonly string[],
  root: number,
  information: number | undefined,
  encryption: PdfFileOptions['encryption'],
): Buffer {
  const security = encryption && encrypt(objects, encryption.userPassword);
  let file = '%PDF-1.7\n';
  const offsets = (security?.objects ?? objects).map((body, place) => {
    const offset = file.length;
    file += `${place + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root ${root} 0 R${information ? `/Info ${information} 0 R` : ''}${security?.trailer ?? ''}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

/** Lines of running text, one below the other. */
export const textLines = (x: number, y: number, lines: readonly string[], size = 10): PlacedText[] =>
  lines.map((text, place) => ({ x, y: y + place * size * 1.2, text, size }));

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const FILE_ID = Buffer.from('0123456789abcdef');
/** All permissions except printing. */
const PERMISSIONS = -8;

const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest();
const padded = (password: string) => Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, place) => place);
  const swap = (a: number, b: number) => {
    [state[a], state[b]] = [state[b] as number, state[a] as number];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return data.map((byte) => {
    i = (i + 1) & 255;
    j = (j + (state[i] as number)) & 255;
    swap(i, j);
    return byte ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number);
  }) as Buffer;
}

/** Encrypts the streams of a file by revision 2 of the standard handler (ISO 32000-1, 7.6.3). */
function encrypt(objects: readonly string[], userPassword: string): { objects: string[]; trailer: string } {
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(userPassword));
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(padded(userPassword), owner, permissions, FILE_ID).subarray(0, 5);
  const user = rc4(key, PADDING);
  const encrypted = objects.map((body, place) =>
    body.replace(/stream\n([\s\S]*)\nendstream/, (_, content: string) => {
      const number = Buffer.from([(place + 1) & 255, (place + 1) >> 8, 0, 0, 0]);
      const data = rc4(md5(key, number).subarray(0, 10), Buffer.from(content, 'latin1'));
      return `stream\n${data.toString('latin1')}\nendstream`;
    }),
  );
  const hex = (bytes: Buffer) => `<${Buffer.from(bytes).toString('hex')}>`;
  const dictionary = `<</Filter/Standard/V 1/R 2/O${hex(owner)}/U${hex(user)}/P ${PERMISSIONS}>>`;
  return { objects: encrypted, trailer: `/Encrypt ${dictionary}/ID[${hex(FILE_ID)}${hex(FILE_ID)}]` };
}

/**
 * Moves the objects of a PDF, its catalog included, to an object stream with a cross-reference stream (ISO
 * 32000-1, 7.5.7 and 7.5.8). Streams stay where they are.
 * @param root object number of the catalog
 */
export function withCompressedObjects(file: Buffer, root: number): Buffer {
  const objects = [...file.toString('latin1').matchAll(/(?<=^|\n)(\d+) 0 obj\n(.*?)\nendobj/gs)].map(
    ([whole, number, body = '']) => ({ whole, number: Number(number), body }),
  );
  const info = /\/Info \d+ 0 R/.exec(file.toString('latin1'))?.[0] ?? '';
  const streams = objects.filter(({ body }) => body.endsWith('endstream'));
  const others = objects.filter(({ body }) => !body.endsWith('endstream'));
  const container = Math.max(...objects.map(({ number }) => number)) + 1;
  const size = container + 2;
  const entries = Buffer.alloc(7 * size);
  const enter = (number: number, type: number, at: number, index: number) => {
    entries.writeUInt8(type, 7 * number);
    entries.writeUInt32BE(at, 7 * number + 1);
    entries.writeUInt16BE(index, 7 * number + 5);
  };
  let text = '%PDF-1.5\n';
  const write = (number: number, whole: string) => {
    enter(number, 1, text.length, 0);
    text += `${whole}\n`;
  };
  for (const { number, whole } of streams) write(number, whole);
  let start = 0;
  const index = others.map(({ number, body }, place) => {
    enter(number, 2, container, place);
    const entry = `${number} ${start}`;
    start += body.length + 1;
    return entry;
  });
  const head = `${index.join(' ')}\n`;
  const content = deflateSync(
    Buffer.from(head + others.map(({ body }) => body).join('\n'), 'latin1'),
  ).toString('latin1');
  write(
    container,
    `${container} 0 obj\n<</Type/ObjStm/N ${others.length}/First ${head.length}/Filter/FlateDecode/Length ${content.length}>>\nstream\n${content}\nendstream\nendobj`,
  );
  const at = text.length;
  enter(size - 1, 1, at, 0);
  text += `${size - 1} 0 obj\n<</Type/XRef/Size ${size}/W[1 4 2]/Root ${root} 0 R${info}/Length ${entries.length}>>\nstream\n`;
  return Buffer.from(
    `${text}${entries.toString('latin1')}\nendstream\nendobj\nstartxref\n${at}\n%%EOF\n`,
    'latin1',
  );
}
