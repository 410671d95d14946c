import render from 'dom-serializer';
import { type Document, type Element, isTag, type ParentNode, Text } from 'domhandler';
import { findOne } from 'domutils';
import { ServiceError } from '../../errors.ts';
import { escapeHtml } from '../html/parse/escape-html.ts';
import { parseHtml, setChildren } from '../html/parse/parse.ts';
import { imageUrl } from './document.ts';
import { DocumentError } from './document-error.ts';

/** Elements that say nothing, or that belong only into the head of a page. */
export const REMOVED: ReadonlySet<string> = new Set([
  'script',
  'style',
  'iframe',
  'object',
  'embed',
  'link',
  'meta',
  'title',
  'base',
  'template',
]);

/**
 * A page inside a document, such as the body of a mail, as part of another page.
 * @param imageIds the image of each Content-ID to which the page may refer; the alternative text replaces all
 * others
 */
export function embeddedHtml(html: string, imageIds: ReadonlyMap<string, string>): string {
  const body = bodyOf(parse(html));
  cleanBody(body, imageIds);
  return render(body.children, { encodeEntities: 'utf8' });
}

/** The body of a page; the page itself if it has none. */
export const bodyOf = (page: Document): ParentNode =>
  findOne(({ name }) => name === 'body', page.children) ?? page;

function parse(html: string): Document {
  try {
    return parseHtml(html);
  } catch (cause) {
    throw cause instanceof ServiceError
      ? new DocumentError(
          'too-large',
          'The HTML in the document has too many or too deeply nested elements.',
          {
            cause,
          },
        )
      : cause;
  }
}

/**
 * Writes plain text as HTML. Empty lines separate paragraphs; other line breaks stay, because the sender
 * chose them.
 */
export function paragraphs(text: string): string {
  return text
    .trim()
    .split(/(?:\r?\n[ \t]*){2,}/)
    .filter(Boolean)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replace(/\r?\n/g, '<br>\n')}</p>`)
    .join('\n');
}

/** The depth of the tree is limited by the parser. */
function cleanBody(parent: ParentNode, imageIds: ReadonlyMap<string, string>): void {
  setChildren(
    parent,
    parent.children.flatMap((child) => {
      if (!isTag(child)) return child.type === 'text' ? [child] : [];
      if (REMOVED.has(child.name)) return [];
      if (child.name === 'img') return embeddedImage(child, imageIds);
      cleanBody(child, imageIds);
      return [child];
    }),
  );
}

/** Refers to an image in the mail by its URL in the document. Images on the web stay as they are. */
function embeddedImage(image: Element, imageIds: ReadonlyMap<string, string>): (Element | Text)[] {
  const contentId = /^cid:(.*)$/i.exec(image.attribs.src ?? '')?.[1];
  if (contentId === undefined) return [image];
  const id = imageIds.get(contentId) ?? imageIds.get(safeDecode(contentId));
  if (id === undefined) return image.attribs.alt ? [new Text(apart(image.attribs.alt, image))] : [];
  image.attribs.src = imageUrl(id);
  return [image];
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A percent sign that is not part of an escape sequence.
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** A text in the place of an element, with spaces where its neighbours are words. */
export function apart(text: string, { prev, next }: Element): string {
  const before = prev?.type === 'text' ? /\S$/.test(prev.data) : prev !== null;
  const after = next?.type === 'text' ? /^[^\s.,;:!?)]/.test(next.data) : next !== null;
  return `${before ? ' ' : ''}${text}${after ? ' ' : ''}`;
}
