import { fieldsOf, parseJson } from '../../json/json-object.ts';

/** What formats with columns or records take from a document. */
export interface ExportedDocument {
  /** The URL that responded; that of the request where the document has none. */
  url: string;
  statusCode: number | null;
  contentType: string | null;
  title: string | null;
  description: string | null;
  language: string | null;
  scrapeId: string | null;
  markdown: string | null;
  html: string | null;
  rawHtml: string | null;
  links: unknown;
  metadata: Record<string, unknown>;
  /** The document without what the other members have. */
  rest: Record<string, unknown>;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Reads a document from its JSON. Members that were not asked for are null. */
export function readExportedDocument(json: string): ExportedDocument {
  const { metadata: found, markdown, html, rawHtml, links, ...rest } = fieldsOf(parseJson(json));
  const metadata = fieldsOf(found);
  const { url, sourceURL, statusCode, contentType, title, description, language, scrapeId } = metadata;
  return {
    url: text(url) ?? text(sourceURL) ?? '',
    statusCode: typeof statusCode === 'number' ? statusCode : null,
    contentType: text(contentType),
    title: text(title),
    description: text(description),
    language: text(language),
    scrapeId: text(scrapeId),
    markdown: text(markdown),
    html: text(html),
    rawHtml: text(rawHtml),
    links,
    metadata,
    rest,
  };
}
