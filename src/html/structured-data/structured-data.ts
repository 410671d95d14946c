import type { Document, Element } from 'domhandler';
import { textContent } from 'domutils';
import { listElements } from '../element-list.ts';
import { type JsonLdItem, parseJsonLd } from './json-ld.ts';
import { extractItems } from './microdata.ts';

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
export function readStructuredData(document: Document, url: string): StructuredData {
  const parts = {
    jsonLd: () => parseJsonLd(readJsonLdScripts(document)),
    microdata: () => extractItems(document, url, 'microdata'),
    rdfa: () => extractItems(document, url, 'rdfa'),
    openGraph: () => selectMetaTags(document, OPEN_GRAPH),
    twitter: () => selectMetaTags(document, TWITTER),
  };
  const read = <Part extends keyof StructuredData>(part: Part) => {
    const value = parts[part]();
    Object.defineProperty(data, part, { value, enumerable: true });
    // The cast is safe, because each function in `parts` returns the property that it is named after.
    return value as StructuredData[Part];
  };
  const data: StructuredData = {
    get jsonLd() {
      return read('jsonLd');
    },
    get microdata() {
      return read('microdata');
    },
    get rdfa() {
      return read('rdfa');
    },
    get openGraph() {
      return read('openGraph');
    },
    get twitter() {
      return read('twitter');
    },
  };
  return data;
}

/** The items of a page in all syntaxes. */
export const itemsOf = ({ jsonLd, microdata, rdfa }: StructuredData): JsonLdItem[] => [
  ...jsonLd,
  ...microdata,
  ...rdfa,
];

function readJsonLdScripts(document: Document): string[] {
  return listElements(document)
    .filter(isJsonLdScript)
    .slice(0, MAX_JSON_LD_BLOCKS)
    .map((script) => textContent(script));
}

const isJsonLdScript = ({ name, attribs }: Element) =>
  name === 'script' && /^\s*application\/ld\+json/i.test(attribs.type ?? '');

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
