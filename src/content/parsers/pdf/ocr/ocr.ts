import { LiteParse, type LiteParseConfig, type ParsedPage } from '@llamaindex/liteparse';
import { toPdfError } from '../errors.ts';
import { OFFLINE, toSourcePage } from '../source/liteparse.ts';
import { parseWithoutCopies } from '../source/native-parse.ts';
import { uprightPage } from '../source/rotation.ts';
import { styleTable } from '../source/words.ts';
import type { SourcePage } from '../types.ts';
import type { OcrSettings } from './english-data.ts';
import { exifTurn } from './exif.ts';
import { readGrayPng } from './gray-png.ts';
import { IMAGE_DPI, imagePdf } from './image-pdf.ts';
import { capitalHeight } from './letter-height.ts';
import { hasUnreadPicture, mayNeedOcr, type OcrReason, ocrReason } from './ocr-need.ts';
import { recogniseUpright, type Turn, type TurnedPage } from './orientation.ts';

/**
 * Resolution of rendered pages. Text of 10 points is 28 pixels high, near the height that tesseract is
 * trained for.
 */
const DPI = 200;

/**
 * Range of the sizes that count as the usual size of a page, as a multiple of it; measured heights vary by a
 * pixel or two.
 */
const MIN_SAME_SIZE = 0.6;
const MAX_SAME_SIZE = 1.15;
/**
 * Symbols that tesseract finds in smudges and in the space between columns. Dashes and bullets can be as
 * uncertain.
 */
const SYMBOLS_ONLY = /^[^\p{L}\p{N}\p{Pd}•·*.,:;!?%]+$/u;
const MIN_SYMBOL_CONFIDENCE = 0.6;
/** Vertical rules of tables and frames, which tesseract takes for characters, whatever its confidence. */
const RULE = /^[|¦]+$/;

/** What is known about the pages of a document before OCR, by their numbers. */
export interface OcrNeeds {
  /** The pages that need OCR, with the reason for each. */
  reasons: Map<number, OcrReason>;
  /** Further pages with a picture that may have text. */
  pictures: number[];
}

/** Finds the pages that need OCR. */
export async function findOcrNeeds(
  bytes: Buffer,
  pages: readonly SourcePage[],
  password?: string,
): Promise<OcrNeeds> {
  const needs: OcrNeeds = { reasons: new Map(), pictures: [] };
  // Images are streams, whose dictionaries are never compressed.
  const hasImages = bytes.includes('/Image');
  const candidates = pages.filter((page) => mayNeedOcr(page, hasImages));
  if (candidates.length === 0) return needs;
  const targetPages = candidates.map(({ number }) => number).join(',');
  const parser = new LiteParse({ ...OFFLINE, targetPages, ...(password ? { password } : {}) });
  for (const stats of await parser.isComplex(bytes)) {
    const page = candidates.find(({ number }) => number === stats.pageNumber);
    const reason = page && ocrReason(stats, page);
    if (reason) needs.reasons.set(stats.pageNumber, reason);
    else if (hasUnreadPicture(stats)) needs.pictures.push(stats.pageNumber);
  }
  return needs;
}

const ocrParser = ({ languageData, languages }: OcrSettings, options: Partial<LiteParseConfig>) =>
  new LiteParse({
    ...OFFLINE,
    ...options,
    ocrEnabled: true,
    ocrLanguage: languages,
    tessdataPath: languageData,
    ocrFailureFatal: false,
    emitWordBoxes: true,
    extractVectorGraphics: true,
  });

/** A page that was recognised, upright. */
interface RecognisedPage extends SourcePage {
  /** By how many degrees its text was turned clockwise. */
  turn: Turn;
}

/**
 * Recognises the text of a raster image: PNG, JPEG, GIF, WebP, BMP or TIFF.
 * @returns a page of the size of the image, or of the turned image if its text was turned; `undefined` for an
 * image without pixels
 * @throws PdfError `damaged` if the image cannot be read
 */
export async function recogniseImage(
  image: Buffer,
  settings: OcrSettings,
): Promise<RecognisedPage | undefined> {
  try {
    const gray = await readGrayPng(image);
    const file = gray ? imagePdf(gray) : image;
    const recognise = async (turn: Turn) => {
      const parser = ocrParser(settings, { dpi: IMAGE_DPI, ...turnedBack(1, turn) });
      return (await parseWithoutCopies(parser, file)).pages[0];
    };
    return recognisedPage(await recogniseUpright(recognise, exifTurn(image)));
  } catch (error) {
    throw toPdfError(error);
  }
}

/** The option by which liteparse turns a page back. */
const turnedBack = (page: number, angle: Turn): Partial<LiteParseConfig> =>
  angle === 0 ? {} : { pageOrientationCorrections: [{ page, angle }] };

const recognisedPage = (found: TurnedPage | undefined): RecognisedPage | undefined =>
  found && { ...withUsualSizes(withoutNoise(toSourcePage(found.page, []))), turn: found.turn };

/**
 * Removes rules, and symbols that tesseract is not sure of. Between two columns they would join the lines
 * beside them.
 */
export const withoutNoise = (page: SourcePage): SourcePage => ({
  ...page,
  words: page.words.filter(
    ({ text, confidence = 1 }) =>
      !RULE.test(text) && (confidence >= MIN_SYMBOL_CONFIDENCE || !SYMBOLS_ONLY.test(text)),
  ),
});

/**
 * Gives the words whose measured size is near the usual one that size: else lines of running text look like
 * headings.
 */
function withUsualSizes(page: SourcePage): SourcePage {
  const sizes = page.words.map(capitalHeight).sort((a, b) => a - b);
  const usual = sizes[Math.floor(0.75 * sizes.length)];
  if (usual === undefined) return page;
  const style = styleTable();
  const sizeOf = (size: number) =>
    size > MIN_SAME_SIZE * usual && size < MAX_SAME_SIZE * usual ? usual : size;
  const words = page.words.map((word) => ({ ...word, style: style('', sizeOf(capitalHeight(word))) }));
  return { ...page, words };
}

/** The result of OCR. */
export interface Recognition {
  /** All pages of the document. */
  pages: SourcePage[];
  /** Numbers of the pages that could not be rendered, such as very large ones. */
  unrendered: number[];
}

interface RecognitionOptions {
  /** Numbers of the pages to recognise. */
  numbers: ReadonlySet<number>;
  settings: OcrSettings;
  password?: string | undefined;
  /** Called after each page, with the number of pages that are done. */
  onPage?: (pagesDone: number) => void;
}

/**
 * Replaces the words of the given pages with words that tesseract recognises on the rendered pages. A page on
 * which it recognises nothing stays as it is.
 */
export async function recognisePages(
  bytes: Buffer,
  pages: readonly SourcePage[],
  { numbers, settings, password, onPage }: RecognitionOptions,
): Promise<Recognition> {
  const renderer = new LiteParse({ ...OFFLINE, dpi: DPI, ...(password ? { password } : {}) });
  const recognised: SourcePage[] = [];
  const unrendered: number[] = [];
  for (const page of pages) {
    const text = numbers.has(page.number) ? await recognisePage(page) : undefined;
    if (text === 'unrendered') unrendered.push(page.number);
    const hasText = text !== 'unrendered' && text !== undefined && text.words.length > 0;
    recognised.push(hasText ? withRecognisedWords(page, text) : page);
    onPage?.(recognised.length);
  }
  return { pages: recognised, unrendered };

  async function recognisePage(page: SourcePage): Promise<RecognisedPage | 'unrendered' | undefined> {
    const hasTextLayer = page.words.length + (page.turnedWords?.length ?? 0) > 0;
    return (hasTextLayer ? undefined : await recogniseScan(page)) ?? (await recogniseRendered(page));
  }

  /**
   * Lets liteparse recognise a page itself, which takes half of the memory. Where a page has text, it
   * recognises nothing.
   * @returns `undefined` if it cannot, or if the page has a text layer, if only of spaces
   */
  async function recogniseScan({ number }: SourcePage): Promise<RecognisedPage | undefined> {
    const recognise = async (turn: Turn): Promise<ParsedPage | undefined> => {
      const parser = ocrParser(settings, {
        dpi: DPI,
        targetPages: String(number),
        ...turnedBack(number, turn),
        ...(password ? { password } : {}),
      });
      // Rendering, which is tried next, says whether the page can be rendered at all.
      const result = await parseWithoutCopies(parser, bytes).catch(() => undefined);
      const page = result?.pages[0];
      return page?.textItems.every(({ confidence }) => confidence !== undefined) ? page : undefined;
    };
    return recognisedPage(await recogniseUpright(recognise));
  }

  async function recogniseRendered({
    number,
  }: SourcePage): Promise<RecognisedPage | 'unrendered' | undefined> {
    // liteparse has no error codes. A page that it cannot render may still have text.
    const [rendered] = await renderer.screenshot(bytes, [number]).catch(() => []);
    if (!rendered) return 'unrendered';
    return rendered.isSolidFill ? undefined : recogniseImage(rendered.imageBuffer, settings);
  }
}

/**
 * Replaces the words of a page with recognised words, converted from pixels of the image to points of the
 * page, which is turned like them.
 */
function withRecognisedWords(original: SourcePage, recognised: RecognisedPage): SourcePage {
  const page = uprightPage(original, recognised.turn);
  const scale = page.width / recognised.width;
  const style = styleTable();
  const words = recognised.words.map((word) => ({
    ...word,
    left: word.left * scale,
    right: word.right * scale,
    top: word.top * scale,
    bottom: word.bottom * scale,
    style: style('', scale * word.style.size),
  }));
  return { ...page, words };
}
