import { formatFileReference } from '../blobs/file-urls.ts';
import type { Blobs } from '../blobs/index.ts';
import {
  type ConversionOptions,
  type ConvertDocument,
  type DocumentImage,
  IMAGE_URLS,
  imageUrl,
} from '../parsers/document.ts';
import { toHtmlPage } from '../parsers/html-page.ts';
import type { DocumentParts, Snapshot } from '../snapshot.ts';
import type { EngineResult } from './engine.ts';
import { beyondCredits, type ExtraCredits, hasProxySurcharge, limitToCredits } from './extra-credits.ts';

/**
 * Completes the result of an engine: a document is converted and becomes a page; any other result stays as it is.
 * @throws ServiceError `SCRAPE_DOCUMENT_ENCRYPTED`, `SCRAPE_DOCUMENT_UNREADABLE`; the reason of the signal
 */
export type ReadDocument = (page: EngineResult, options: ReadOptions) => Promise<Snapshot>;

/** How a document is converted, and what its pages may cost. */
interface ReadOptions extends ConversionOptions {
  /** The proxy of the request. */
  proxy: string;
  /** Limits the pages of a PDF that are read; absent if they are free. */
  extraCredits?: ExtraCredits | undefined;
}

/** @param deps.convert converts documents; `deps.blobs` stores the images inside them */
export function createDocumentReader({
  convert,
  blobs,
}: {
  convert: ConvertDocument;
  blobs: Blobs;
}): ReadDocument {
  return async ({ unconverted, ...page }, options) => {
    if (!unconverted) return page;
    const { bytes } = unconverted;
    const task = await limitToCredits(unconverted.task, {
      hasSurcharge: hasProxySurcharge(options.proxy, page.proxy),
      extraCredits: options.extraCredits,
    });
    const converted = await convert(task, bytes, options);
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

/** Stores the images of a document. @returns references to them by the URLs that the HTML has for them */
async function saveImages(images: DocumentImage[], blobs: Blobs): Promise<Record<string, string>> {
  const entries = images.map(async ({ id, bytes, mediaType }) => {
    const key = await blobs.put(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return [imageUrl(id), formatFileReference({ key, size: bytes.length, mediaType })] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Replaces the URLs of images in the HTML of a document with references to the stored files. */
const replaceImageUrls = (html: string, images: Record<string, string>) =>
  html.replace(IMAGE_URLS, (url) => images[url] ?? url);

function withImageUrls(document: DocumentParts, images: Record<string, string>): DocumentParts {
  if (!document.pages) return document;
  const pages = document.pages.map((page) => ({ ...page, html: replaceImageUrls(page.html, images) }));
  return { ...document, pages };
}
