/** Text at a place of a page, in points from the top left corner to the baseline. */
export interface PlacedText {
  x: number;
  y: number;
  text: string;
  size?: number;
  font?: 'Helvetica' | 'Helvetica-Bold' | 'Helvetica-Oblique' | 'Courier';
  /** Counter-clockwise rotation in degrees. */
  angle?: number;
}

export interface PdfPageContent {
  texts: PlacedText[];
  /** Lines from one point to another. */
  strokes?: [x1: number, y1: number, x2: number, y2: number][];
  /** Further content of the page, such as a tagged text. */
  raw?: string;
  links?: { rect: [left: number, top: number, right: number, bottom: number]; uri: string }[];
  /** Annotations and form fields as dictionaries without their rectangle. */
  widgets?: { rect: [number, number, number, number]; dictionary: string }[];
}

export interface PdfFileOptions {
  info?: Record<string, string>;
  /** Entries of the catalog. */
  catalog?: string;
}

const FONTS = ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Courier'] as const;
const WIDTH = 612;
const HEIGHT = 792;

const escapeText = (text: string) => text.replace(/[\\()]/g, '\\$&');

/** Writes a PDF with the standard fonts: pages of 612 by 792 points. */
export function writePdf(
  pages: readonly PdfPageContent[],
  { info, catalog = '' }: PdfFileOptions = {},
): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const fonts = FONTS.map((name) =>
    add(`<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`),
  );
  const resources = `<</Font<<${fonts.map((object, place) => `/F${place} ${object} 0 R`).join('')}>>>>`;
  const tree = objects.length + pages.length * 2 + pages.flatMap(annotationsOf).length + 1;
  const kids = pages.map((page) => {
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
  return toFile(objects, root, information);
}

function contentOf({ texts, strokes = [], raw = '' }: PdfPageContent): string {
  const drawn = texts.map(({ x, y, text, size = 10, font = 'Helvetica', angle = 0 }) => {
    const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)].map((value) =>
      value.toFixed(4),
    );
    return `BT /F${FONTS.indexOf(font)} ${size} Tf ${cos} ${sin} ${-Number(sin)} ${cos} ${x} ${HEIGHT - y} Tm (${escapeText(text)}) Tj ET`;
  });
  const lines = strokes.map(([x1, y1, x2, y2]) => `${x1} ${HEIGHT - y1} m ${x2} ${HEIGHT - y2} l S`);
  return [...drawn, ...lines, raw].join('\n');
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

function toFile(objects: readonly string[], root: number, information: number | undefined): Buffer {
  let file = '%PDF-1.7\n';
  const offsets = objects.map((body, place) => {
    const offset = file.length;
    file += `${place + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root ${root} 0 R${information ? `/Info ${information} 0 R` : ''}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

/** Lines of running text below each other. */
export const textLines = (x: number, y: number, lines: readonly string[], size = 10): PlacedText[] =>
  lines.map((text, place) => ({ x, y: y + place * size * 1.2, text, size }));
