import { toBuffer } from '../../source-text.ts';
import type { DocumentMetadata } from '../document.ts';
import { joinContinued, joinParagraphs } from './document/continued-blocks.ts';
import { layoutDocument } from './document/document-layout.ts';
import { PdfError } from './errors.ts';
import type { OcrSettings } from './ocr/english-data.ts';
import { findOcrNeeds, recognisePages } from './ocr/ocr.ts';
import type { OcrReason } from './ocr/ocr-need.ts';
import { type OutputBlock, toOutputBlocks } from './output/output-blocks.ts';
import { drawPages, type PageImage, type PageImages } from './output/page-images.ts';
import { blocksToHtml } from './output/to-html.ts';
import { readInfoDictionary } from './source/info-dictionary.ts';
import { readWithLiteParse } from './source/liteparse.ts';
import { toMetadata } from './source/metadata.ts';
import { repairPdf } from './source/repair.ts';
import type { Block, Figure, ReadOptions, SourceDocument, SourcePage } from './types.ts';
import { listWarnings, scannedMessage } from './warnings.ts';

export interface PdfOptions {
  /**
   * Which pages OCR is used for: `auto` for those that need it, `ocr` for all, `fast` for none. Default
   * `auto`.
   */
  mode?: 'fast' | 'auto' | 'ocr';
  /** Maximum number of pages to read, beginning with the first one. Default 10,000. */
  maxPages?: number;
  /** Whether to return the images of the document. */
  images?: boolean;
  /** Numbers of the pages to draw, as readers see them; those that are not read are passed over. */
  pageImages?: readonly number[];
  password?: string;
  /** Without these settings OCR is not used, and the pages that need it are only reported. */
  ocr?: OcrSettings;
  /** Called before OCR and after each page of it. */
  onProgress?: (progress: { pagesDone: number; pages: number }) => void;
}

interface PdfPage {
  /** Counted from 1. */
  number: number;
  /** In points. */
  width: number;
  /** In points. */
  height: number;
  /** The page alone. It is written when it is read, because most callers want the whole document only. */
  readonly html: string;
  /** Converted when they are read, too. */
  readonly blocks: OutputBlock[];
  /** `partial` if the page needs OCR that was not used, `failed` if nothing of the page could be read. */
  status: 'ok' | 'partial' | 'failed';
  /** Why the page needs OCR; absent if its text layer is usable or was not checked. */
  needsOcr?: OcrReason;
  /** Whether OCR was used for the page. */
  recognised: boolean;
}

export interface PdfDocument {
  /** The whole document. The parts of tables and paragraphs on consecutive pages are joined. */
  html: string;
  pages: PdfPage[];
  metadata: DocumentMetadata;
  totalPages: number;
  /** Images, to which the HTML refers by URLs of the form `document-image:<id>`. */
  images: Figure[];
  /** The pictures of pages that were asked for. */
  pageImages: PageImage[];
  /** English sentences about content that is missing or unreliable. */
  warnings: string[];
}

/**
 * Converts a PDF to HTML. PDFium is not thread-safe, so a process must convert only one document at a time.
 * @throws PdfError if the document needs a password, nothing of it can be read, or all that it has is text
 *   that only OCR can read, which the mode `fast` excludes
 */
export async function pdfToHtml(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfDocument> {
  const {
    mode = 'auto',
    maxPages = 10_000,
    images = false,
    pageImages = [],
    password,
    ocr,
    onProgress,
  } = options;
  const original = toBuffer(bytes);
  const { source, file, isRecovered, isRenderable } = await readOrRepair(original, {
    maxPages,
    images,
    ...(password ? { password } : {}),
  });
  const failed = failedPages(source, isRecovered);
  const { reasons: needs, pictures } =
    mode === 'fast' || !isRenderable
      ? { reasons: new Map<number, OcrReason>(), pictures: [] }
      : await findOcrNeeds(file, source.pages, password);
  const wanted = new Set(mode === 'ocr' ? source.pages.map(({ number }) => number) : needs.keys());
  if (wanted.size > 0) onProgress?.({ pagesDone: 0, pages: source.pages.length });
  const recognition =
    ocr && mode !== 'fast' && isRenderable
      ? await recognisePages(file, source.pages, {
          numbers: wanted,
          settings: ocr,
          password,
          onPage: (pagesDone) => onProgress?.({ pagesDone, pages: source.pages.length }),
        })
      : undefined;
  const { pages, unrendered } = recognition ?? { pages: source.pages, unrendered: [] };
  const layouts = layoutDocument(pages);
  const html = blocksToHtml(joinContinued(layouts.flat()));
  const toDraw = pages.filter(({ number }) => pageImages.includes(number));
  const drawn = isRenderable ? await drawPages(file, toDraw, password) : notDrawn(toDraw);
  if (mode === 'fast' && html === '' && isRenderable) await refuseIfScanned({ file, pages, password });
  return {
    html,
    pages: pages.map((page, place) => {
      const { number } = page;
      const recognised = recognition !== undefined && wanted.has(number) && !unrendered.includes(number);
      const blocks = layouts[place] ?? [];
      return toPdfPage(page, blocks, { failed, needsOcr: needs.get(number), recognised });
    }),
    metadata: await readMetadata(file),
    totalPages: source.totalPages,
    images: pages.flatMap(({ figures }) => figures),
    pageImages: drawn.images,
    warnings: listWarnings({ source, isRecovered, failed, mode, wanted, pictures, recognition, drawn }),
  };
}

function toPdfPage(
  { number, width, height }: SourcePage,
  blocks: Block[],
  {
    failed,
    needsOcr,
    recognised,
  }: { failed: readonly number[]; needsOcr: OcrReason | undefined; recognised: boolean },
): PdfPage {
  return {
    number,
    width,
    height,
    get html() {
      return blocksToHtml(joinParagraphs(blocks));
    },
    get blocks() {
      return toOutputBlocks(blocks, { number, width, height, recognised });
    },
    status: failed.includes(number) ? 'failed' : needsOcr && !recognised ? 'partial' : 'ok',
    ...(needsOcr ? { needsOcr } : {}),
    recognised,
  };
}

/** Pages of a file that PDFium cannot open. */
const notDrawn = (pages: readonly SourcePage[]): PageImages => ({
  images: [],
  unrendered: pages.map(({ number }) => number),
  left: [],
});

/** Refuses a document without any content if one of its pages has an image of text. */
async function refuseIfScanned({
  file,
  pages,
  password,
}: {
  file: Buffer;
  pages: readonly SourcePage[];
  password: string | undefined;
}): Promise<void> {
  const { reasons: needs } = await findOcrNeeds(file, pages, password);
  if (needs.size === 0) return;
  throw new PdfError('needs-ocr', scannedMessage([...needs.keys()]));
}

/** Loads PDF.js when it is needed, because that takes longer than most documents. */
const loadPdfJs = () => import('./source/pdfjs.ts');

interface ReadResult {
  source: SourceDocument;
  /** The bytes that were read: the file or its repaired copy. */
  file: Buffer;
  isRecovered: boolean;
  /** Whether PDFium can open the file and so render its pages for OCR. */
  isRenderable: boolean;
}

/**
 * Reads a file with liteparse. If that fails, reads a repaired copy with liteparse, and finally the file with
 * PDF.js.
 */
async function readOrRepair(file: Buffer, options: ReadOptions): Promise<ReadResult> {
  const direct = await tryLiteParse(file, options);
  if (direct) return { source: direct, file, isRecovered: false, isRenderable: true };
  const repaired = repairPdf(file);
  const source = repaired && (await tryLiteParse(repaired, options));
  if (repaired && source?.pages.some(({ words }) => words.length > 0))
    return { source, file: repaired, isRecovered: true, isRenderable: true };
  const { readWithPdfJs } = await loadPdfJs();
  const fallback = await readWithPdfJs(file, options);
  if (fallback.pages.every(({ words }) => words.length === 0))
    throw new PdfError('damaged', 'The PDF is damaged, and no text could be read from it.');
  return { source: fallback, file, isRecovered: true, isRenderable: false };
}

/**
 * @returns undefined if liteparse rejects the file
 * @throws PdfError if the file needs a password
 */
async function tryLiteParse(file: Buffer, options: ReadOptions): Promise<SourceDocument | undefined> {
  try {
    const source = await readWithLiteParse(file, options);
    return source.pages.length > 0 ? source : undefined;
  } catch (error) {
    if (error instanceof PdfError && error.fault === 'damaged') return undefined;
    throw error;
  }
}

/** Numbers of the pages of which nothing could be read. */
const failedPages = ({ failedPages, pages }: SourceDocument, isRecovered: boolean): number[] =>
  isRecovered
    ? [...failedPages, ...pages.filter(({ words }) => words.length === 0).map(({ number }) => number)]
    : failedPages;

async function readMetadata(file: Buffer): Promise<DocumentMetadata> {
  const info = readInfoDictionary(file);
  if (info) return toMetadata(info);
  const { readInfoWithPdfJs } = await loadPdfJs();
  return toMetadata(await readInfoWithPdfJs(file).catch(() => ({})));
}
