import { Parser } from 'htmlparser2';
import { localName, readPart, readRelationships } from '../package-parts.ts';
import type { ZipArchive } from '../zip.ts';
import { chartText } from './chart-text.ts';
import type { PlacedPicture } from './placed-picture.ts';
import { readBinarySheets } from './xlsb-sheets.ts';

const WORKBOOK = 'xl/workbook.xml';
const BINARY_WORKBOOK = 'xl/workbook.bin';
/** Limit of the size of the binary workbook, in bytes; its sheets are in parts of their own. */
const MAX_BINARY_BYTES = 64 * 1024 * 1024;
const ANCHORS = new Set(['oneCellAnchor', 'twoCellAnchor', 'absoluteAnchor']);

/**
 * Reads where the pictures, charts and text boxes of an Office Open XML workbook (xlsx, xlsm or xlsb) are
 * (ECMA-376-1, 20.5), by the names of the sheets. The text of a chart or box is its alternative text.
 */
export function readXlsxPictures(archive: ZipArchive): Map<string, PlacedPicture[]> {
  const binary = archive.read(BINARY_WORKBOOK, MAX_BINARY_BYTES);
  const parts = readRelationships(archive, binary ? BINARY_WORKBOOK : WORKBOOK);
  const pictures = new Map<string, PlacedPicture[]>();
  const sheets = binary ? readBinarySheets(binary) : readSheets(readPart(archive, WORKBOOK));
  for (const { name, id } of sheets) {
    const part = parts.get(id)?.target;
    if (!part) continue;
    const drawings = [...readRelationships(archive, part).values()].filter(({ kind }) => kind === 'drawing');
    pictures.set(
      name,
      drawings.flatMap(({ target }) => readDrawing(archive, target)),
    );
  }
  return pictures;
}

/** The sheets of an xlsx file, with the identifiers of their relationships. */
export const sheetsOf = (archive: ZipArchive) => readSheets(readPart(archive, WORKBOOK));

function readSheets(xml: string): { name: string; id: string }[] {
  const sheets: { name: string; id: string }[] = [];
  const parser = new Parser(
    {
      onopentag(tag, { name = '', 'r:id': id = '' }) {
        if (localName(tag) === 'sheet') sheets.push({ name, id });
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return sheets;
}

function readDrawing(archive: ZipArchive, part: string): PlacedPicture[] {
  const targets = readRelationships(archive, part);
  const pictures: PlacedPicture[] = [];
  let [row, alt] = [0, ''];
  let isFrom = false;
  let isRow = false;
  let shape: PlacedPicture | undefined;
  let isText = false;
  const parser = new Parser(
    {
      onopentag(tag, { descr = '', 'r:embed': id = '', 'r:id': chart = '' }) {
        const name = localName(tag);
        if (ANCHORS.has(name)) [row, alt] = [0, ''];
        else if (name === 'from') isFrom = true;
        else if (name === 'row') isRow = isFrom;
        else if (name === 'cNvPr') alt = descr;
        else if (name === 'sp') {
          shape = { row, alt: '', part: '' };
          pictures.push(shape);
        }
        // Paragraphs of a box are its lines.
        else if (name === 'p' && shape) shape.alt += ' ';
        isText = name === 't';
        const target = name === 'blip' ? targets.get(id) : undefined;
        if (target?.kind === 'image') pictures.push({ row, alt, part: target.target });
        const { target: part } = (name === 'chart' && targets.get(chart)) || {};
        if (part) pictures.push({ row, alt: alt || chartText(readPart(archive, part)), part });
      },
      ontext(text) {
        if (isText && shape) shape.alt += text;
        if (isRow) row = Number.parseInt(text, 10) || 0;
      },
      onclosetag(tag) {
        if (localName(tag) === 'from') isFrom = false;
        if (localName(tag) === 'sp') shape = undefined;
        isRow = false;
        isText = false;
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(archive, part));
  return pictures;
}
