import { joinContinued, joinParagraphs } from './continued.ts';
import { layoutDocument } from './document.ts';
import { PdfError } from './errors.ts';
import { readInfoDictionary } from './info-dictionary.ts';
import { readWithLiteParse } from './liteparse.ts';
import { type PdfMetadata, toMetadata } from './metadata.ts';
import { type OcrSettings, pagesThatNeedOcr, recognisePages } from './ocr.ts';
import type { OcrReason } from './ocr-need.ts';
import { type OutputBlock, toOutputBlocks } from './output-blocks.ts';
import { readInfoWithPdfJs, readWithPdfJs } from './pdfjs.ts';
import { repairPdf } from './repair.ts';
import { toHtml } from './to-html.ts';
import type { Figure, ReadOptions, SourceDocument } from './types.ts';

export { PdfError } from './errors.ts';
export { type OcrSettings, recogniseImage, unpackEnglish } from './ocr.ts';

export interface PdfOptions {
  /** `auto` recognises text on the pages that need it, `ocr` on all pages, `fast` on none. */
  mode?: 'fast' | 'auto' | 'ocr';
  /** Most pages to read, from the first one; all without it. */
  maxPages?: number;
  /** Whether to return the pictures of the document. */
  images?: boolean;
  password?: string;
  /** Without it no text is recognised, and pages that need it are only reported. */
  ocr?: OcrSettings;
}

export interface PdfPage {
  number: number;
  /** Points. */
  width: number;
  height: number;
  html: string;
  blocks: OutputBlock[];
  /** Why the page needs OCR; absent when its text layer is sound. */
  needsOcr?: OcrReason;
  /** Whether the text was recognised from the picture of the page. */
  recognised: boolean;
}

export interface PdfDocument {
  /** The whole document; tables and paragraphs go on across pages. */
  html: string;
  pages: PdfPage[];
  metadata: PdfMetadata;
  totalPages: number;
  /** Pictures that the HTML refers to by `pdf-image:` and their identifiers. */
  images: Figure[];
  /** Sentences for the caller, in English. */
  warnings: string[];
}

/**
 * Converts a PDF to HTML. Only one document at a time may be converted in a process.
 * @throws PdfError when the document needs a password, or when nothing of it can be read
 */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfDocument> {
  const { mode = 'auto', maxPages = 10_000, images = false, password, ocr } = options;
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { source, file, isRecovered, isRenderable } = await read(given, {
    maxPages,
    images,
    ...(password ? { password } : {}),
  });
  const warnings = readWarnings(source, isRecovered);
  const needs =
    mode === 'fast' || !isRenderable
      ? new Map<number, OcrReason>()
      : await pagesThatNeedOcr(file, source.pages, password);
  const wanted = new Set(mode === 'ocr' ? source.pages.map(({ number }) => number) : needs.keys());
  const recognises = ocr !== undefined && mode !== 'fast' && isRenderable;
  const pages = recognises ? await recognisePages(file, source.pages, wanted, ocr, password) : source.pages;
  if (!recognises && wanted.size > 0)
    warnings.push(`${pageList([...wanted])} would need OCR; the text is what the file itself says.`);
  const layouts = layoutDocument(pages);
  return {
    html: toHtml(joinContinued(layouts.flat())),
    pages: pages.map(({ number, width, height }, place) => {
      const blocks = layouts[place] ?? [];
      const needsOcr = needs.get(number);
      const recognised = recognises && wanted.has(number);
      return {
        number,
        width,
        height,
        html: toHtml(joinParagraphs(blocks)),
        blocks: toOutputBlocks(blocks, number, width, height, recognised),
        ...(needsOcr ? { needsOcr } : {}),
        recognised,
      };
    }),
    metadata: await readMetadata(file),
    totalPages: source.totalPages,
    images: pages.flatMap(({ figures }) => figures),
    warnings,
  };
}

interface ReadResult {
  source: SourceDocument;
  /** The bytes that were read: those of the file, or of its repaired copy. */
  file: Buffer;
  isRecovered: boolean;
  /** Whether PDFium can open the file, which OCR needs. */
  isRenderable: boolean;
}

/** Reads with liteparse; what it rejects is repaired, and as the last resort read with PDF.js. */
async function read(file: Buffer, options: ReadOptions): Promise<ReadResult> {
  const direct = await tryLiteParse(file, options);
  if (direct) return { source: direct, file, isRecovered: false, isRenderable: true };
  const repaired = repairPdf(file);
  const source = repaired && (await tryLiteParse(repaired, options));
  if (repaired && source?.pages.some(({ words }) => words.length > 0))
    return { source, file: repaired, isRecovered: true, isRenderable: true };
  const last = await readWithPdfJs(file, options);
  if (last.pages.every(({ words }) => words.length === 0))
    throw new PdfError('empty', 'Nothing of the PDF can be read: it is damaged.');
  return { source: last, file, isRecovered: true, isRenderable: false };
}

/** @returns undefined when liteparse rejects the file; it still throws when a password is needed */
async function tryLiteParse(file: Buffer, options: ReadOptions): Promise<SourceDocument | undefined> {
  try {
    const source = await readWithLiteParse(file, options);
    return source.pages.length > 0 ? source : undefined;
  } catch (error) {
    if (error instanceof PdfError && error.fault === 'damaged') return undefined;
    throw error;
  }
}

function readWarnings({ failedPages, totalPages, pages }: SourceDocument, isRecovered: boolean): string[] {
  const warnings: string[] = [];
  if (isRecovered) warnings.push('The PDF is damaged; tables and pictures may be missing.');
  const failed = isRecovered
    ? [...failedPages, ...pages.filter(({ words }) => words.length === 0).map(({ number }) => number)]
    : failedPages;
  if (failed.length > 0) warnings.push(`${pageList(failed)} of ${totalPages} could not be read.`);
  return warnings;
}

const MAX_LISTED = 20;

function pageList(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const listed = sorted.slice(0, MAX_LISTED).join(', ');
  const more = sorted.length > MAX_LISTED ? ` and ${sorted.length - MAX_LISTED} more` : '';
  return `${sorted.length === 1 ? 'Page' : 'Pages'} ${listed}${more}`;
}

async function readMetadata(file: Buffer): Promise<PdfMetadata> {
  const info = readInfoDictionary(file) ?? (await readInfoWithPdfJs(file).catch(() => ({})));
  return toMetadata(info);
}
