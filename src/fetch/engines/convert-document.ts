import {
  type ConversionOptions,
  type ConvertDocument,
  type ConvertedDocument,
  type DocumentImage,
  type DocumentTask,
  IMAGE_URLS,
  imageUrl,
  type UnconvertedDocument,
} from '../../content/parsers/document.ts';
import { toHtmlPage } from '../../content/parsers/html-page.ts';
import type { DocumentParts, FetchedSnapshot } from '../../content/snapshot.ts';
import { toBuffer } from '../../content/source-text.ts';
import { formatFileReference } from '../../storage/blobs/file-urls.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { EngineResult } from './engine.ts';
import { beyondCredits, type ExtraCredits, limitToCredits, reserveDocument } from './extra-credits.ts';

/**
 * Completes the result of an engine: a document is converted and becomes a page; any other result stays as it
 * is.
 * @throws ServiceError `SCRAPE_DOCUMENT_ENCRYPTED`, `SCRAPE_DOCUMENT_UNREADABLE`; the reason of the signal
 */
export type ConvertIfDocument = (page: EngineResult, options: ConvertOptions) => Promise<FetchedSnapshot>;

/** How a document is converted, and what its pages may cost. */
export interface ConvertOptions extends ConversionOptions {
  /** Limits the pages of a document that are read; absent if they are free. */
  extraCredits?: ExtraCredits | undefined;
}

/** @param deps.convert converts documents; `deps.blobs` stores the images inside them */
export function createConvertIfDocument({
  convert,
  blobs,
}: {
  convert: ConvertDocument;
  blobs: Blobs;
}): ConvertIfDocument {
  return async ({ unconverted, ...page }, options) => {
    if (!unconverted) return page;
    const { task, converted } = await convertWithinCredits(convert, unconverted, options);
    const images = await saveImages(converted.images, blobs);
    const { html, document } = toHtmlPage(task, converted);
    const { numPages = 0, totalPages = 0 } = document;
    const isPartial = task !== unconverted.task && numPages < totalPages;
    const warnings = [
      ...(page.warnings ?? []),
      ...converted.warnings,
      ...(isPartial ? [beyondCredits(document)] : []),
    ];
    return {
      ...page,
      text: replaceImageUrls(html, images),
      document: withImageUrls(document, images),
      files: { ...page.files, ...images },
      ...(warnings.length && { warnings }),
      ...(isPartial && { isPartial }),
    };
  };
}

/**
 * Converts a document, and reserves the credits for its pages. Their number is known only afterwards, so if
 * other work of the team has reserved some of the credits meanwhile, fewer pages are converted again.
 */
async function convertWithinCredits(
  convert: ConvertDocument,
  unconverted: UnconvertedDocument,
  options: ConvertOptions,
): Promise<{ task: DocumentTask; converted: ConvertedDocument }> {
  const { extraCredits } = options;
  let task = await limitToCredits(unconverted.task, extraCredits);
  let converted = await convert(task, unconverted.bytes, options);
  while (!(await reserveDocument(converted, extraCredits))) {
    task = await limitToCredits(unconverted.task, extraCredits, (converted.numPages ?? 1) - 1);
    converted = await convert(task, unconverted.bytes, options);
  }
  return { task, converted };
}

/** Stores the images of a document. @returns references to them by the URLs that the HTML has for them */
async function saveImages(images: DocumentImage[], blobs: Blobs): Promise<Record<string, string>> {
  const entries = images.map(async ({ id, bytes, mediaType }) => {
    const key = await blobs.put(toBuffer(bytes));
    return [imageUrl(id), formatFileReference({ key, size: bytes.length, mediaType })] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Replaces the URLs of images in the HTML of a document with references to the stored files. */
const replaceImageUrls = (html: string, images: Record<string, string>) =>
  html.replace(IMAGE_URLS, (url) => images[url] ?? url);

function withImageUrls(document: DocumentParts, images: Record<string, string>): DocumentParts {
  if (!document.pages) return document;
  const pages = document.pages.map(({ image, ...page }) => {
    const drawn = image === undefined ? undefined : images[image];
    return {
      ...page,
      html: replaceImageUrls(page.html, images),
      ...(drawn !== undefined && { image: drawn }),
    };
  });
  return { ...document, pages };
}
