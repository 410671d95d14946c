import { textContent } from 'domutils';
import type { DeclaredMedia } from './media/declared-media.ts';
import { escapeHtml } from './parse/escape-html.ts';
import { parseHtml } from './parse/parse.ts';
import { closeEmptyElements } from './parse/xhtml.ts';
import { oneLine } from './text.ts';
import { resolveUrl } from './urls.ts';
import type { XmlField, XmlList } from './xml-list.ts';

/** A feed in RSS 0.9 to 2.0 or Atom. URLs are absolute. */
export interface Feed {
  title?: string;
  description?: string;
  language?: string;
  /** URL of the page that the feed belongs to. */
  home?: string;
  entries: FeedEntry[];
}

/** An entry of a feed. */
export interface FeedEntry {
  title?: string;
  /** URL of the entry's page. */
  page?: string;
  /** The date as written in the feed. */
  published?: string;
  author?: string;
  /** The full text of the entry, else its summary, as HTML. */
  html?: string;
  /** The base of relative URLs in `html`. */
  base: string;
  /** The files of the entry: enclosures and Media RSS. */
  files: DeclaredMedia[];
}

const FEED_ELEMENTS = new Set(['channel', 'feed']);
/** Tags that are not common in titles. They are kept as text, because a title may be about code. */
const OTHER_TAGS = /<(?!\/?(?:a|b|br|code|em|i|s|small|span|strong|sub|sup|u)\b)/gi;
const HTML_TYPE = /^(?:html|text\/html)$/i;

/**
 * Converts a parsed list to a feed, including enclosures (RSS 2.0; RFC 4287 4.2.7.2) and Media RSS.
 * @param url the URL of the feed; relative URLs are resolved against it
 * @returns `undefined` for a sitemap
 */
export function parseFeed({ root, head, entries, language }: XmlList, url: string): Feed | undefined {
  if (root === 'urlset' || root === 'sitemapindex') return undefined;
  const own = head.filter(({ parent }) => FEED_ELEMENTS.has(parent));
  const said = (...names: string[]) => fieldToText(firstField(own, names), root);
  const home = findLink(own, url);
  const spoken = said('language') ?? language;
  return {
    ...withoutEmpty({ title: said('title'), description: said('description', 'subtitle'), home }),
    ...(spoken && { language: spoken }),
    entries: entries.map((fields) => parseEntry(fields, root, url)),
  };
}

function parseEntry(fields: XmlField[], root: XmlList['root'], base: string): FeedEntry {
  const own = fields.filter(({ parent }) => /^(item|entry)$/.test(parent));
  const text = firstField(own, ['content:encoded', 'content', 'description', 'summary', 'itunes:summary']);
  const description = firstField(fields, ['media:description']);
  const html = (text && fieldToHtml(text, root)) || (description && fieldToHtml(description, 'feed'));
  const page = findLink(own, base) ?? guidOf(own);
  const date = firstField(own, ['pubdate', 'published', 'dc:date', 'issued', 'updated', 'modified']);
  return {
    ...withoutEmpty({
      title: fieldToText(firstField(own, ['title']), root),
      page,
      author: authorOf(fields),
      html,
    }),
    ...withoutEmpty({ published: oneLine(date?.text ?? '') }),
    base: text?.base ?? page ?? base,
    files: fields.flatMap(fileOf),
  };
}

/** The first field that is not empty. Earlier names take precedence. */
const firstField = (fields: XmlField[], names: string[]): XmlField | undefined =>
  names
    .map((name) => fields.find((field) => field.name === name && (field.markup ?? field.text).trim() !== ''))
    .find((field) => field !== undefined);

/** The URL of the page of a feed or entry: the first link whose `rel` is absent or `alternate`. */
function findLink(fields: XmlField[], base: string): string | undefined {
  for (const { name, text, attributes, base: own } of fields) {
    if (!/^(atom\d*:)?link$/.test(name) || (attributes.rel ?? 'alternate') !== 'alternate') continue;
    const href = (attributes.href ?? text).trim();
    if (href) return resolveUrl(href, own ?? base);
  }
  return undefined;
}

/** The URL in a `guid`. In RSS, a `guid` is the URL of the page unless `isPermaLink` is `false`. */
function guidOf(fields: XmlField[]): string | undefined {
  const guid = fields.find(({ name }) => name === 'guid');
  const href = guid?.text.trim() ?? '';
  return guid?.attributes.isPermaLink !== 'false' && /^https?:/i.test(href)
    ? resolveUrl(href, href)
    : undefined;
}

/** The name of the author. Atom has an element `name` for it; RSS writes `mail@host (Name)`. */
function authorOf(fields: XmlField[]): string | undefined {
  const named = fields.find(({ name, parent }) => name === 'name' && parent === 'author');
  const written = named ?? firstField(fields, ['dc:creator', 'author', 'itunes:author']);
  const text = oneLine(written?.text ?? '');
  return /^\S+@\S+\s+\((.+)\)$/.exec(text)?.[1] ?? (text || undefined);
}

function fileOf({ name, attributes: { href, url, type, rel } }: XmlField): DeclaredMedia[] {
  const isLink = /^(atom\d*:)?link$/.test(name) && rel === 'enclosure';
  const source = isLink ? href : name === 'enclosure' || name === 'media:content' ? url : undefined;
  return source ? [{ url: source, type }] : [];
}

/**
 * Converts a field to HTML. In RSS every text is HTML. In Atom the `type` attribute decides; the default is
 * plain text.
 */
function fieldToHtml({ text, markup, attributes }: XmlField, root: XmlList['root']): string | undefined {
  if (markup !== undefined) return closeEmptyElements(markup);
  const { type = 'text' } = attributes;
  if (root !== 'feed' || HTML_TYPE.test(type)) return text;
  // Other types are not text, such as an image in base64.
  if (!/^(text|text\/plain)$/i.test(type)) return undefined;
  const paragraphs = text.split(/\n\s*\n/).filter((part) => part.trim());
  return paragraphs.map((part) => `<p>${escapeHtml(part.trim())}</p>`).join('');
}

/** A field as plain text in one line. */
function fieldToText(field: XmlField | undefined, root: XmlList['root']): string | undefined {
  if (!field) return undefined;
  const html = fieldToHtml(field, root);
  const isPlain = html === undefined || !/[<&]/.test(html);
  const text = isPlain
    ? field.text
    : textContent(parseHtml(root === 'feed' ? html : html.replace(OTHER_TAGS, '&lt;')));
  return oneLine(text) || undefined;
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** A record without its empty fields. */
function withoutEmpty<Fields extends Record<string, string | undefined>>(fields: Fields): Present<Fields> {
  // The cast is safe, because only fields without a value were removed.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as Present<Fields>;
}
