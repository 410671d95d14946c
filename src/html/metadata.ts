import type { Document } from 'domhandler';
import { textContent } from 'domutils';
import { baseOf, resolve } from './address.ts';
import { select } from './clean.ts';

/** Our names for what pages say under other ones; each besides its own name. */
const NAMES: Record<string, string> = {
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:image': 'ogImage',
  'og:audio': 'ogAudio',
  'og:determiner': 'ogDeterminer',
  'og:locale': 'ogLocale',
  'og:site_name': 'ogSiteName',
  'og:video': 'ogVideo',
  'article:section': 'articleSection',
  'article:tag': 'articleTag',
  'article:published_time': 'publishedTime',
  'article:modified_time': 'modifiedTime',
  'dcterms.created': 'dcTermsCreated',
  'dc.date.created': 'dcDateCreated',
  'dc.date': 'dcDate',
  'dcterms.type': 'dcTermsType',
  'dc.type': 'dcType',
  'dcterms.audience': 'dcTermsAudience',
  'dcterms.subject': 'dcTermsSubject',
  'dc.subject': 'dcSubject',
  'dc.description': 'dcDescription',
  'dcterms.keywords': 'dcTermsKeywords',
};

/** What a page says about itself; a name that is repeated has a list. */
export function metadataOf(document: Document, pageUrl: string): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string) => values.set(name, [...(values.get(name) ?? []), value]);
  for (const { attribs } of select('meta[content]', document)) {
    const name = attribs.name ?? attribs.property ?? attribs.itemprop;
    if (!name) continue;
    const lower = name.toLowerCase();
    if (lower === 'og:locale:alternate') add('ogLocaleAlternate', attribs.content!);
    else if (NAMES[lower]) add(NAMES[lower], attribs.content!);
    if (lower !== 'title') add(name, attribs.content!);
  }
  const metadata: Record<string, string | string[]> = {};
  for (const [name, list] of values) {
    if (name === 'ogLocaleAlternate') metadata[name] = list;
    else metadata[name] = list.length === 1 ? list[0]! : name === 'description' ? list.join(', ') : list;
  }
  return { ...metadata, ...ownFacts(document, pageUrl) };
}

function ownFacts(document: Document, pageUrl: string): Record<string, string> {
  const title = select('head title', document)[0] ?? select('title', document)[0];
  const language = select('html[lang]', document)[0]?.attribs.lang;
  const icon = select('link[rel~="icon"][href]', document)[0]?.attribs.href;
  const favicon = icon && resolve(icon, baseOf(document, pageUrl));
  return {
    ...(title && { title: textContent(title).replace(/\s+/g, ' ').trim() }),
    ...(language && { language }),
    ...(favicon && { favicon }),
  };
}
