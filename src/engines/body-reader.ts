import { formatFileReference } from '../blobs/file-urls.ts';
import type { Blobs } from '../blobs/index.ts';
import { type ConvertDocument, type DocumentImage, IMAGE_URLS, imageUrl } from '../parsers/document.ts';
import { parseFile } from '../parsers/index.ts';
import { ReceivedFile } from '../parsers/received-file.ts';
import type { Snapshot } from '../snapshot.ts';
import type { PageRequest } from './engine.ts';

/** The part of a snapshot that the body of a response determines. */
type BodyContent = Pick<Snapshot, 'kind' | 'text' | 'document' | 'files' | 'warnings'>;

/**
 * Converts the body of a response to the content of a snapshot.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert,
 *   `SCRAPE_DOCUMENT_ENCRYPTED`, `SCRAPE_DOCUMENT_UNREADABLE`; the reason of the signal
 */
export type ReadBody = (
  response: { url: string; contentType: string; body: Uint8Array },
  request: Pick<PageRequest, 'wantsBody' | 'wantsImages' | 'parsers'>,
  signal: AbortSignal,
) => Promise<BodyContent>;

/**
 * Creates the function by which all engines read bodies.
 * @param deps converts documents and stores the images inside them; without it, documents are refused
 */
export function createBodyReader(deps?: { convert: ConvertDocument; blobs: Blobs }): ReadBody {
  return async (response, { wantsBody, wantsImages, parsers }, signal) => {
    const file = new ReceivedFile(response);
    if (wantsBody) return { ...file.toBase64(), files: {} };
    const refuse: ConvertDocument = async ({ type }) => {
      throw file.unsupported(`a document of the type ${type}`, 'Only pages are read here.');
    };
    const convert = deps?.convert ?? refuse;
    const { images = [], ...content } = await parseFile(file, { parsers, wantsImages, convert, signal });
    if (!deps || images.length === 0) return { ...content, files: {} };
    const files = await saveImages(images, deps.blobs);
    return { ...replaceImageUrls(content, files), files };
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
function replaceImageUrls<Content extends Pick<BodyContent, 'text' | 'document'>>(
  content: Content,
  files: Record<string, string>,
): Content {
  const replace = (html: string) => html.replace(IMAGE_URLS, (url) => files[url] ?? url);
  const { text, document } = content;
  const pages = document?.pages?.map((page) => ({ ...page, html: replace(page.html) }));
  return { ...content, text: replace(text), ...(document && pages && { document: { ...document, pages } }) };
}
