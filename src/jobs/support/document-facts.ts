import { createHash } from 'node:crypto';
import { tokenizeWords } from '../../content/answers/words.ts';
import { BASE64_IMAGE_PLACEHOLDER } from '../../content/html/markdown/links.ts';
import type { Document } from '../../schemas/document.ts';
import type { DocumentFacts } from './facts.ts';
import { type Mentions, mentionsIn } from './mentions.ts';

/** The text of a document that readers see: its markdown, or else its HTML without tags. */
function textOf({ markdown, html, rawHtml }: Pick<Document, 'markdown' | 'html' | 'rawHtml'>) {
  if (markdown !== undefined) return markdown.replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1');
  const source = html ?? rawHtml;
  return source?.replace(/<(script|style)\b[^<>]*>[^<]*/gi, ' ').replace(/<[^<>]*>/g, ' ');
}

/** Reads what a document says about itself, and which mentions of a question it has. */
export function factsOf(document: Document, mentions: Mentions): DocumentFacts {
  const { metadata, markdown = '', warning } = document;
  const text = textOf(document);
  const { statusCode, challenge, contentType, contentShare, language, numPages, totalPages } = metadata;
  const images = markdown.match(/!\[/g)?.length ?? 0;
  const replaced = markdown.split(BASE64_IMAGE_PLACEHOLDER).length - 1;
  return {
    statusCode,
    words: text === undefined ? 0 : tokenizeWords(text).length,
    hasText: text !== undefined,
    digest: createHash('sha256')
      .update(text ?? '')
      .digest('hex'),
    isCopy: metadata.cacheState === 'hit',
    mentioned: text === undefined ? [] : mentionsIn(text, mentions),
    finalUrl: metadata.url,
    ...(images && { images }),
    ...(replaced && { replacedImages: replaced }),
    ...(warning !== undefined && { warning }),
    ...(challenge !== undefined && { challenge }),
    ...(contentType !== undefined && { contentType }),
    ...(contentShare !== undefined && { contentShare }),
    ...(language !== undefined && { language }),
    ...(numPages !== undefined && totalPages !== undefined && { pages: { read: numPages, all: totalPages } }),
    ...(document.rawHtml !== undefined && { hasScripts: /<script\b/i.test(document.rawHtml) }),
  };
}
