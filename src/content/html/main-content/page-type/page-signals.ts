import type { Document, Element } from 'domhandler';
import { textContent } from 'domutils';
import { listElements } from '../../element-list.ts';
import { hasAttributes } from '../../nodes.ts';

/** Signals of a page's type in its head, its structured data and its body tag. */
export interface PageSignals {
  /** The schema.org types on the page. `Product` is included only if the page is about a single product. */
  schemaTypes: Set<string>;
  openGraph: string;
  generator: string;
  /** The classes of the body separated by single spaces, then its id with a leading `#`, in lower case. */
  bodyClass: string;
  isPublished: boolean;
  hasPrice: boolean;
}

/**
 * A page about one product may describe it in several scripts, for example by the shop and by a review
 * service.
 */
const MAX_PRODUCT_SCRIPTS = 3;

/** Reads the signals of a page. */
export function readPageSignals(page: Document): PageSignals {
  const signals: PageSignals = {
    schemaTypes: new Set(),
    openGraph: '',
    generator: '',
    bodyClass: '',
    isPublished: false,
    hasPrice: false,
  };
  let products = 0;
  let scripts = 0;
  for (const element of listElements(page)) {
    if (!hasAttributes(element)) continue;
    const { name, attribs } = element;
    if (name === 'script' && /ld\+json/i.test(attribs.type ?? '')) {
      const types = schemaTypesIn(element);
      if (types.includes('Product')) scripts++;
      for (const type of types) signals.schemaTypes.add(type);
    } else if (name === 'meta') readMeta(attribs, signals);
    else if (name === 'body')
      signals.bodyClass = ` ${attribs.class ?? ''} #${attribs.id ?? ''} `.toLowerCase().replace(/\s+/g, ' ');
    const type = attribs.itemtype?.split('/').at(-1);
    if (type === 'Product') products++;
    else if (type) signals.schemaTypes.add(type);
  }
  if (products === 1) signals.schemaTypes.add('Product');
  // A list of products has an ItemList, or a script for each product.
  if (signals.schemaTypes.has('ItemList') || scripts > MAX_PRODUCT_SCRIPTS)
    signals.schemaTypes.delete('Product');
  return signals;
}

/**
 * Uses a regular expression instead of a JSON parser, because only the types are needed and much JSON-LD is
 * invalid.
 */
const schemaTypesIn = (script: Element): string[] =>
  [...textContent(script).matchAll(/"@type"\s*:\s*(?:\[\s*)?"(\w+)"/g)].map(([, type = '']) => type);

function readMeta({ property, name, content = '' }: Element['attribs'], signals: PageSignals): void {
  const key = (property ?? name ?? '').toLowerCase();
  if (key === 'og:type') signals.openGraph ||= content.toLowerCase();
  else if (key === 'generator') signals.generator += content.toLowerCase();
  // Some documentation generators do not name themselves but leave meta tags for their search.
  else if (/^(readthedocs|docsearch|docusaurus)/.test(key)) signals.generator += key;
  else if (key === 'article:published_time') signals.isPublished = true;
  else if (/^(product|og):price/.test(key)) signals.hasPrice = true;
}
