import type { Document, Element } from 'domhandler';
import { textContent } from 'domutils';
import { listElements } from '../element-list.ts';
import { lazy } from '../lazy.ts';
import { findJsonLdInScript, type JsonLdItem, parseJsonLd } from './json-ld.ts';
import { extractItems } from './microdata.ts';
import { findOfferedItems } from './offered-items.ts';

/** Structured data of a page. Each property is parsed when it is first read, with limits on its size. */
export interface StructuredData {
  readonly jsonLd: JsonLdItem[];
  readonly microdata: JsonLdItem[];
  /** RDFa Lite. */
  readonly rdfa: JsonLdItem[];
  /** By full name, such as `og:title` or `product:price:amount`; a repeated one as a list. */
  readonly openGraph: Record<string, string | string[]>;
  /** By full name, such as `twitter:card`. */
  readonly twitter: Record<string, string | string[]>;
}

/** The structured data of a page that has none. */
export const NO_STRUCTURED_DATA: StructuredData = {
  jsonLd: [],
  microdata: [],
  rdfa: [],
  openGraph: {},
  twitter: {},
};

/** A meta tag with content; `name` is its `name`, else `property`, else `itemprop`. */
export interface MetaTag {
  name: string;
  content: string;
}

/** Every meta tag with a name, in document order. */
export function readMetaTags(document: Document): MetaTag[] {
  const tags: MetaTag[] = [];
  for (const { name: element, attribs } of listElements(document)) {
    if (element !== 'meta') continue;
    const name = attribs.name ?? attribs.property ?? attribs.itemprop;
    // A property `__proto__` would replace the prototype of the record.
    if (name && attribs.content !== undefined && name !== '__proto__')
      tags.push({ name, content: attribs.content });
  }
  return tags;
}

const OPEN_GRAPH = /^(?:og|article|product|book|profile|music|video):/i;
const TWITTER = /^twitter:/i;
const MAX_JSON_LD_BLOCKS = 100;

/**
 * Reads the structured data of a page.
 * @param url the URL of the page; relative URLs are resolved against it
 */
export const readStructuredData = (document: Document, url: string): StructuredData =>
  new PageData(document, url);

/** The structured data of a page, which is read when it is first asked for. */
class PageData implements StructuredData {
  readonly #document: Document;
  readonly #url: string;
  readonly #jsonLd = lazy(() => readJsonLd(this.#document));
  readonly #microdata = lazy(() => extractItems(this.#document, this.#url, 'microdata'));
  readonly #rdfa = lazy(() => extractItems(this.#document, this.#url, 'rdfa'));
  readonly #openGraph = lazy(() => selectMetaTags(this.#document, OPEN_GRAPH));
  readonly #twitter = lazy(() => selectMetaTags(this.#document, TWITTER));

  constructor(document: Document, url: string) {
    this.#document = document;
    this.#url = url;
  }

  get jsonLd() {
    return this.#jsonLd();
  }

  get microdata() {
    return this.#microdata();
  }

  get rdfa() {
    return this.#rdfa();
  }

  get openGraph() {
    return this.#openGraph();
  }

  get twitter() {
    return this.#twitter();
  }
}

/** The items of a page in all syntaxes, and last those that its own offers are for. */
export function itemsOf({ jsonLd, microdata, rdfa }: StructuredData): JsonLdItem[] {
  const items = [...jsonLd, ...microdata, ...rdfa];
  return [...items, ...items.flatMap(findOfferedItems)];
}

/** JSON-LD that the page declares, and of that in its other scripts what they have not added to the page themselves. */
function readJsonLd(document: Document): JsonLdItem[] {
  const scripts = listElements(document).filter(({ name }) => name === 'script');
  const [data, code] = [scripts.filter(isJsonLdScript), scripts.filter((script) => !isJsonLdScript(script))];
  const declared = parseJsonLd(data.slice(0, MAX_JSON_LD_BLOCKS).map((script) => textContent(script)));
  const written = code.flatMap((script) => findJsonLdInScript(textContent(script)));
  const types = new Set(declared.map((item) => item['@type']));
  const missing = parseJsonLd(written.slice(0, MAX_JSON_LD_BLOCKS)).filter(
    (item) => !types.has(item['@type']),
  );
  return [...declared, ...missing];
}

const isJsonLdScript = ({ attribs }: Element) => /^\s*application\/ld\+json/i.test(attribs.type ?? '');

function selectMetaTags(document: Document, names: RegExp): Record<string, string | string[]> {
  const tags = readMetaTags(document).filter(({ name }) => names.test(name));
  const lists = Map.groupBy(tags, ({ name }) => name.toLowerCase());
  return Object.fromEntries(
    [...lists].map(([name, members]) => {
      const values = members.map(({ content }) => content);
      return [name, values.length === 1 ? values.join() : values];
    }),
  );
}
