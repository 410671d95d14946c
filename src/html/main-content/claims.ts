import type { Document, Element } from 'domhandler';
import { findAll, textContent } from 'domutils';

/** What a page says about its own kind, in its head, its structured data and its address. */
export interface Claims {
  /** Types of schema.org. A product counts once: several of them are a list. */
  schema: Set<string>;
  openGraph: string;
  generator: string;
  host: string;
  path: string;
  /** With a blank around each class, and the id behind a `#`. */
  bodyClass: string;
  isFrontPage: boolean;
  isPublished: boolean;
  hasPrice: boolean;
}

/** A product may be told of more than once, by the shop and by those that keep its ratings. */
const MOST_SCRIPTS = 3;

/** Reads them off the page; `url` is the page's own address, empty or invalid if it is not known. */
export function claimsOf(page: Document, url: string): Claims {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const path = address?.pathname.toLowerCase() ?? '';
  const claims: Claims = {
    schema: new Set(),
    openGraph: '',
    generator: '',
    host: address?.hostname ?? '',
    path,
    bodyClass: '',
    isFrontPage: path === '/',
    isPublished: false,
    hasPrice: false,
  };
  let products = 0;
  let scripts = 0;
  for (const element of findAll(() => true, page.children)) {
    const { name, attribs } = element;
    if (name === 'script' && /ld\+json/i.test(attribs.type ?? '')) {
      const types = typesIn(element);
      if (types.includes('Product')) scripts++;
      for (const type of types) claims.schema.add(type);
    } else if (name === 'meta') readMeta(attribs, claims);
    else if (name === 'body')
      claims.bodyClass = ` ${attribs.class ?? ''} #${attribs.id ?? ''} `.toLowerCase().replace(/\s+/g, ' ');
    const type = attribs.itemtype?.split('/').at(-1);
    if (type === 'Product') products++;
    else if (type) claims.schema.add(type);
  }
  if (products === 1) claims.schema.add('Product');
  // A list of products names them all, or has a script for each.
  if (claims.schema.has('ItemList') || scripts > MOST_SCRIPTS) claims.schema.delete('Product');
  return claims;
}

/** Only the types are wanted, and much JSON of pages is broken. */
const typesIn = (script: Element): string[] =>
  [...textContent(script).matchAll(/"@type"\s*:\s*\[?\s*"(\w+)"/g)].map(([, type = '']) => type);

function readMeta({ property, name, content = '' }: Element['attribs'], claims: Claims): void {
  const key = (property ?? name ?? '').toLowerCase();
  if (key === 'og:type') claims.openGraph ||= content.toLowerCase();
  else if (key === 'generator') claims.generator += content.toLowerCase();
  // Tools that do not name themselves leave data for their search.
  else if (/^(readthedocs|docsearch|docusaurus)/.test(key)) claims.generator += key;
  else if (key === 'article:published_time') claims.isPublished = true;
  else if (/^(product|og):price/.test(key)) claims.hasPrice = true;
}
