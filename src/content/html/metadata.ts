import type { Document } from 'domhandler';
import { textContent } from 'domutils';
import { listElements } from './element-list.ts';
import type { JsonLdItem } from './structured-data/json-ld.ts';
import { readMetaTags, readStructuredData, type StructuredData } from './structured-data/structured-data.ts';
import { oneLine } from './text.ts';
import { documentBaseUrl, resolveUrl } from './urls.ts';

/** Aliases under which well-known meta tags are returned in addition to their own names. */
const ALIASES = new Map([
  ['og:title', 'ogTitle'],
  ['og:description', 'ogDescription'],
  ['og:url', 'ogUrl'],
  ['og:image', 'ogImage'],
  ['og:audio', 'ogAudio'],
  ['og:determiner', 'ogDeterminer'],
  ['og:locale', 'ogLocale'],
  ['og:locale:alternate', 'ogLocaleAlternate'],
  ['og:site_name', 'ogSiteName'],
  ['og:video', 'ogVideo'],
  ['article:section', 'articleSection'],
  ['article:tag', 'articleTag'],
  ['article:published_time', 'publishedTime'],
  ['article:modified_time', 'modifiedTime'],
  ['dcterms.created', 'dcTermsCreated'],
  ['dc.date.created', 'dcDateCreated'],
  ['dc.date', 'dcDate'],
  ['dcterms.type', 'dcTermsType'],
  ['dc.type', 'dcType'],
  ['dcterms.audience', 'dcTermsAudience'],
  ['dcterms.subject', 'dcTermsSubject'],
  ['dc.subject', 'dcSubject'],
  ['dc.description', 'dcDescription'],
  ['dcterms.keywords', 'dcTermsKeywords'],
]);
/**
 * Aliases whose values are resolved to absolute URLs. The value under the tag's own name stays as written.
 */
const URL_ALIASES = new Set(['ogUrl', 'ogImage', 'ogAudio', 'ogVideo']);
/** Names that are matched in any case and returned in lower case. */
const CASE_INSENSITIVE_NAMES = new Set(['description', 'keywords', 'robots']);

/**
 * Extracts the metadata of a page. Every meta tag is returned under its own name; repeated tags become a
 * list. Well-known tags are also returned under an alias, which is a list only for `ogLocaleAlternate`. If
 * meta tags lack the publication or modification time, it is taken from JSON-LD.
 */
export function extractMetadata(
  document: Document,
  pageUrl: string,
  { jsonLd }: Pick<StructuredData, 'jsonLd'> = readStructuredData(document, pageUrl),
): Record<string, string | string[]> {
  const base = documentBaseUrl(document, pageUrl);
  const own = new Map<string, string[]>();
  const ours = new Map<string, string[]>();
  for (const { name: written, content } of readMetaTags(document)) {
    const lower = written.toLowerCase();
    add(own, CASE_INSENSITIVE_NAMES.has(lower) ? lower : written, content);
    const name = ALIASES.get(lower);
    if (name) add(ours, name, content);
  }
  return {
    ...(ours.has('publishedTime') && ours.has('modifiedTime') ? {} : timesOf(jsonLd)),
    ...Object.fromEntries([...own].map(([name, values]) => [name, ownValue(name, values)])),
    ...Object.fromEntries([...ours].map(([name, values]) => [name, ourValue(name, values, base)])),
    ...readPageFacts(document, base),
  };
}

function add(lists: Map<string, string[]>, name: string, value: string): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

function ownValue(name: string, values: string[]): string | string[] {
  if (name === 'description') return values.join(', ');
  return values.length === 1 ? values.join() : values;
}

function ourValue(name: string, values: string[], base: string): string | string[] {
  if (name === 'ogLocaleAlternate') return values;
  if (name === 'articleTag') return values.join(', ');
  // The first of several values is the preferred one.
  const first = values[0] ?? '';
  return first && URL_ALIASES.has(name) ? (resolveUrl(first, base) ?? first) : first;
}

/** Publication and modification time of the first item with a date. */
function timesOf(jsonLd: JsonLdItem[]): Record<string, string> {
  const dated = jsonLd.find((item) => typeof item.datePublished === 'string');
  const { datePublished, dateModified } = dated ?? {};
  return {
    ...(typeof datePublished === 'string' && { publishedTime: datePublished }),
    ...(typeof dateModified === 'string' && { modifiedTime: dateModified }),
  };
}

/** Title, language and favicon, which take precedence over meta tags of the same name. */
function readPageFacts(document: Document, base: string): Record<string, string> {
  const elements = listElements(document);
  const title = elements.find(({ name, namespace }) => name === 'title' && !namespace?.endsWith('svg'));
  const language = elements.find(({ name }) => name === 'html')?.attribs.lang?.trim();
  const icon = elements.find(
    ({ name, attribs }) => name === 'link' && attribs.href && /(^|\s)icon(\s|$)/i.test(attribs.rel ?? ''),
  );
  const favicon = icon && resolveUrl(icon.attribs.href ?? '', base);
  return {
    ...(title && { title: oneLine(textContent(title)) }),
    ...(language && { language }),
    ...(favicon && { favicon }),
  };
}
