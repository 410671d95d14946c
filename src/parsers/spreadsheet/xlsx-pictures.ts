import { Parser } from 'htmlparser2';
import { localName, readPart, readRelationships } from '../package-parts.ts';
import type { ZipArchive } from '../zip.ts';
import { chartText } from './chart-text.ts';
import type { PlacedPicture } from './pictures.ts';

const WORKBOOK = 'xl/workbook.xml';
const ANCHORS = new Set(['oneCellAnchor', 'twoCellAnchor', 'absoluteAnchor']);

/**
 * Reads where the pictures and charts of an Office Open XML workbook are (ECMA-376-1, 20.5), by the names of the sheets. The
 * text of a chart is its alternative text.
 */
export function readXlsxPictures(archive: ZipArchive): Map<string, PlacedPicture[]> {
  const parts = readRelationships(archive, WORKBOOK);
  const pictures = new Map<string, PlacedPicture[]>();
  for (const { name, id } of readSheets(readPart(archive, WORKBOOK))) {
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
  const parser = new Parser(
    {
      onopentag(tag, { descr = '', 'r:embed': id = '', 'r:id': chart = '' }) {
        const name = localName(tag);
        if (ANCHORS.has(name)) [row, alt] = [0, ''];
        else if (name === 'from') isFrom = true;
        else if (name === 'row') isRow = isFrom;
        else if (name === 'cNvPr') alt = descr;
        const target = name === 'blip' ? targets.get(id) : undefined;
        if (target?.kind === 'image') pictures.push({ row, alt, part: target.target });
        const { target: part } = (name === 'chart' && targets.get(chart)) || {};
        if (part) pictures.push({ row, alt: alt || chartText(readPart(archive, part)), part });
      },
      ontext(text) {
        if (isRow) row = Number.parseInt(text, 10) || 0;
      },
      onclosetag(tag) {
        if (localName(tag) === 'from') isFrom = false;
        isRow = false;
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(archive, part));
  return pictures;
}
