import type { ConvertedDocument, DocumentMetadata, DocumentTask } from './document.ts';
import type { ParsedFile } from './parser.ts';

/** The meta tags by which `html/metadata.ts` knows the parts of the metadata. */
const META_NAMES: Partial<Record<keyof DocumentMetadata, string>> = {
  author: 'author',
  subject: 'description',
  keywords: 'keywords',
  publishedTime: 'article:published_time',
  modifiedTime: 'article:modified_time',
};

/** Makes the content of a snapshot from a converted document: a page whose head has the metadata. */
export function documentFile(task: DocumentTask, converted: ConvertedDocument): ParsedFile {
  const { html, metadata, pages, numPages, totalPages, images, warnings } = converted;
  return {
    kind: 'html',
    text: `<!doctype html><html${attribute('lang', metadata.language)}><head>${headOf(metadata)}</head><body>${html}</body></html>`,
    document: {
      type: task.type,
      hasImages: task.images,
      ...(numPages !== undefined && { numPages }),
      ...(totalPages !== undefined && { totalPages }),
      ...(pages && { pages }),
    },
    ...(images.length && { images }),
    ...(warnings.length && { warnings }),
  };
}

function headOf(metadata: DocumentMetadata): string {
  const title = metadata.title ? `<title>${escapeText(metadata.title)}</title>` : '';
  // The keys of an object literal are those of its type.
  const names = Object.entries(META_NAMES) as [keyof DocumentMetadata, string][];
  const tags = names.flatMap(([key, name]) =>
    metadata[key] ? [`<meta name="${name}"${attribute('content', metadata[key])}>`] : [],
  );
  return title + tags.join('');
}

const escapeText = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

const attribute = (name: string, value: string | undefined) =>
  value ? ` ${name}="${escapeText(value).replace(/"/g, '&quot;')}"` : '';
