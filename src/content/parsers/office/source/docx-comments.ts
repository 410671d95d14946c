import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { oneLine } from '../../../html/text.ts';
import { readPart, readRelationships } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { paragraphsOf } from './docx-headers.ts';
import { tryReadPart } from './replace-parts.ts';

const DOCUMENT = 'word/document.xml';
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Further comments are left out. */
const MAX_COMMENTS = 1000;
/** Length of the text that is quoted from the document, and of the XML in which it is looked for. */
const MAX_QUOTE = 80;
const MAX_QUOTE_XML = 20_000;
/** A comment, which contains no other one. */
const COMMENT = /<w:comment(?=\s)([^<>]*)>((?:(?!<w:comment[\s>])[\s\S])*?)<\/w:comment>/g;
const RANGE_EDGE = /<w:commentRange(Start|End)(?=\s)[^<>]*\sw:id="([^"]*)"[^<>]*>/g;

/**
 * The comments of a Word document as HTML, each with its author and the beginning of the text that it is about.
 * @returns an empty text if there are none
 */
export function readDocxComments(archive: ZipArchive): string {
  const part = [...readRelationships(archive, DOCUMENT).values()].find(({ kind }) => kind === 'comments');
  if (!part) return '';
  const quotes = readQuotes(archive);
  return [...readPart(archive, part.target).matchAll(COMMENT)]
    .slice(0, MAX_COMMENTS)
    .flatMap(([, attributes = '', content = '']) => {
      const text = paragraphsOf(content).map(escapeHtml).join('<br>');
      if (!text) return [];
      const quote = quotes.get(/\sw:id="([^"]*)"/.exec(attributes)?.[1] ?? '');
      // The author is an attribute of XML, which is escaped as in HTML.
      const author = /\sw:author="([^"]+)"/.exec(attributes)?.[1];
      const about = [author, quote && `on “${escapeHtml(quote)}”`].filter(Boolean).join(' ');
      return [`<aside data-annotation>${about ? `${about}: ` : ''}${text}</aside>`];
    })
    .join('\n');
}

/** The beginnings of the texts that comments are about, by the identifiers of the comments. */
function readQuotes(archive: ZipArchive): Map<string, string> {
  const xml = tryReadPart(archive, DOCUMENT, MAX_DOCUMENT_BYTES)?.toString('utf8') ?? '';
  const starts = new Map<string, number>();
  const quotes = new Map<string, string>();
  for (const { 0: tag, 1: edge, 2: id = '', index } of xml.matchAll(RANGE_EDGE)) {
    const start = starts.get(id);
    if (edge === 'Start') starts.set(id, index + tag.length);
    else if (start !== undefined && !quotes.has(id) && quotes.size < MAX_COMMENTS)
      quotes.set(id, quoteOf(xml.slice(start, Math.min(index, start + MAX_QUOTE_XML))));
  }
  return quotes;
}

function quoteOf(xml: string): string {
  const text = oneLine(paragraphsOf(`<w:p>${xml}</w:p>`).join(' '));
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE).trimEnd()}…` : text;
}
