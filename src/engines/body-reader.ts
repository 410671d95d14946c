import { formatFileReference } from '../blobs/file-urls.ts';
import type { Blobs } from '../blobs/index.ts';
import type { ConvertDocument, DocumentImage } from '../parsers/document.ts';
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
    const convert: ConvertDocument =
      deps?.convert ?? (() => Promise.reject(file.unsupported(undefined, 'Only pages are read here.')));
    const { images, ...content } = await parseFile(file, { parsers, wantsImages, convert, signal });
    return { ...content, files: deps && images ? await saveImages(images, deps.blobs) : {} };
  };
}

/** Stores the images of a document. @returns references to them by the URLs that the HTML has for them */
async function saveImages(images: DocumentImage[], blobs: Blobs): Promise<Record<string, string>> {
  const entries = images.map(async ({ id, bytes, mediaType }) => {
    const key = await blobs.put(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return [`document-image:${id}`, formatFileReference({ key, size: bytes.length, mediaType })] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
