import { PDFParse, VerbosityLevel } from 'pdf-parse';
import { toPdfError } from '../errors.ts';
import type { ReadOptions, SourceDocument, SourcePage, Word } from '../types.ts';
import { linkWords } from './links.ts';
import type { InfoDictionary } from './metadata.ts';
import { uprightPage } from './rotation.ts';
import { cleanText, styleTable, withoutRepeats } from './words.ts';

interface TextItem {
  str: string;
  transform: [number, number, number, number, number, number];
  width: number;
  fontName: string;
}

interface PdfJsPage {
  view: [number, number, number, number];
  rotate: number;
  getTextContent(): Promise<{ items: TextItem[]; styles: Record<string, { fontFamily?: string }> }>;
  getAnnotations(): Promise<{ subtype: string; url?: string; rect: [number, number, number, number] }[]>;
  cleanup(): void;
}

interface PdfJsDocument {
  numPages: number;
  getPage(number: number): Promise<PdfJsPage>;
}

/** Height of text above and below the baseline, as a multiple of the font size. */
const ASCENT = 0.85;
const DESCENT = 0.2;

/** Opens a file with pdf-parse, calls `use` and closes the file. */
async function withParser<T>(bytes: Uint8Array, use: (parser: PDFParse) => Promise<T>): Promise<T> {
  // PDF.js transfers the buffer it receives to its worker, so it gets a copy.
  const parser = new PDFParse({
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
  });
  try {
    return await use(parser);
  } catch (error) {
    throw toPdfError(error);
  } finally {
    await parser.destroy();
  }
}

/** Reads the information dictionary with PDF.js, which can also decompress and decrypt it. */
export const readInfoWithPdfJs = (bytes: Uint8Array): Promise<InfoDictionary> =>
  withParser(bytes, async (parser) => (await parser.getInfo()).info as InfoDictionary);

/**
 * Reads the text of a PDF with PDF.js, which rebuilds the cross-reference table of truncated and damaged
 * files. Rules, images, form fields and tags are not read.
 * @throws PdfError if PDF.js cannot open the file
 */
export const readWithPdfJs = (bytes: Uint8Array, { maxPages }: ReadOptions): Promise<SourceDocument> =>
  withParser(bytes, async (parser) => {
    await parser.getInfo();
    // pdf-parse returns text without positions. Its private property `doc` is the document of PDF.js, which
    // has them.
    const document = (parser as unknown as { doc: PdfJsDocument }).doc;
    const result: SourceDocument = { totalPages: document.numPages, pages: [], failedPages: [] };
    for (let number = 1; number <= Math.min(document.numPages, maxPages); number++) {
      try {
        result.pages.push(await readPage(await document.getPage(number), number));
      } catch {
        result.failedPages.push(number);
      }
    }
    return result;
  });

async function readPage(page: PdfJsPage, number: number): Promise<SourcePage> {
  const [left, bottom, right, top] = page.view;
  const { items, styles } = await page.getTextContent();
  const styleOf = styleTable();
  const words: Word[] = [];
  items.forEach((item, run) => {
    const [a, b, , , x, y] = item.transform ?? [0, 0, 0, 0, 0, 0];
    const size = Math.hypot(a, b);
    const text = cleanText(item.str ?? '');
    if (!text.trim() || size === 0) return;
    const style = styleOf(styles[item.fontName]?.fontFamily ?? '', size);
    words.push(...splitWords(text, item.width, { x: x - left, y: top - y }, Math.atan2(b, a), style, run));
  });
  const annotations = (await page.getAnnotations()).map(({ subtype, url, rect: [x1, y1, x2, y2] }) => ({
    subtype,
    quadpointRects: [],
    rect: { x: x1 - left, y: top - y2, width: x2 - x1, height: y2 - y1 },
    ...(url ? { uri: url } : {}),
  }));
  page.cleanup();
  const source: SourcePage = {
    number,
    width: right - left,
    height: top - bottom,
    words: linkWords(withoutRepeats(words), annotations),
    rules: { horizontal: [], vertical: [] },
    paths: { all: 0, curved: 0 },
    figures: [],
    annotations: [],
    fields: [],
    tags: [],
  };
  return uprightPage(source, ((((360 - page.rotate) % 360) + 360) % 360) as 0 | 90 | 180 | 270);
}

/**
 * Splits an item into words. PDF.js gives only the width of the item, so all characters count as equally
 * wide.
 */
function splitWords(
  text: string,
  width: number,
  { x, y }: { x: number; y: number },
  angle: number,
  style: Word['style'],
  run: number,
): Word[] {
  const advance = width / text.length;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [...text.matchAll(/\S+/g)].map((match) => {
    const along = [match.index * advance, (match.index + match[0].length) * advance];
    const corners = along.flatMap((distance) =>
      [ASCENT * style.size, -DESCENT * style.size].map((rise) => ({
        x: x + cos * distance - sin * rise,
        y: y - sin * distance - cos * rise,
      })),
    );
    return {
      left: Math.min(...corners.map((corner) => corner.x)),
      right: Math.max(...corners.map((corner) => corner.x)),
      top: Math.min(...corners.map((corner) => corner.y)),
      bottom: Math.max(...corners.map((corner) => corner.y)),
      text: match[0],
      style,
      run,
    };
  });
}
