import { escapeHtml } from '../html/parse/escape-html.ts';
import type { DocumentParts } from '../snapshot.ts';
import type { ConvertedDocument, DocumentMetadata, DocumentTask } from './document.ts';

/** The meta tags by which `content/html/metadata.ts` knows the parts of the metadata. */
const META_NAMES: Partial<Record<keyof DocumentMetadata, string>> = {
  author: 'author',
  subject: 'description',
  keywords: 'keywords',
  publishedTime: 'article:published_time',
  modifiedTime: 'article:modified_time',
};

/** Makes a page of a converted document, with the metadata in its head. */
export function toHtmlPage(
  task: DocumentTask,
  converted: ConvertedDocument,
): { html: string; document: DocumentParts } {
  const { html, metadata, pages, numPages, totalPages } = converted;
  return {
    html: `<!doctype html><html${attribute('lang', metadata.language)}><head>${headOf(metadata)}</head><body>${html}</body></html>`,
    document: {
      type: task.type,
      hasImages: task.images,
      ...(numPages !== undefined && { numPages }),
      ...(totalPages !== undefined && { totalPages }),
      ...(pages && { pages }),
    },
  };
}

function headOf(metadata: DocumentMetadata): string {
  const title = metadata.title ? `<title>${escapeHtml(metadata.title)}</title>` : '';
  // The keys of an object literal are those of its type.
  const names = Object.entries(META_NAMES) as [keyof DocumentMetadata, string][];
  const tags = names.flatMap(([key, name]) =>
    metadata[key] ? [`<meta name="${name}"${attribute('content', metadata[key])}>`] : [],
  );
  return title + tags.join('');
}

const attribute = (name: string, value: string | undefined) =>
  value ? ` ${name}="${escapeHtml(value)}"` : '';
