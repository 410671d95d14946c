import type { Document, Element } from 'domhandler';
import { isTag } from '../nodes.ts';
import { textOf } from '../text.ts';
import { documentBaseUrl, resolveUrl } from '../urls.ts';
import { enumerationName, type JsonLdItem, typeName, withoutVocabulary } from './json-ld.ts';

/** The attributes of each syntax that start an item, give its type and name a property. */
const SYNTAXES = {
  microdata: { scope: 'itemscope', type: 'itemtype', property: 'itemprop' },
  rdfa: { scope: 'typeof', type: 'typeof', property: 'property' },
} as const;

const MAX_PROPERTIES = 5_000;
/** The attributes that contain the value of a property, by element. */
const VALUES: Record<string, string> = {
  img: 'src',
  audio: 'src',
  video: 'src',
  source: 'src',
  embed: 'src',
  iframe: 'src',
  a: 'href',
  area: 'href',
  link: 'href',
  object: 'data',
  data: 'value',
  meter: 'value',
  time: 'datetime',
};
const URL_VALUE_ATTRIBUTES = new Set(['src', 'href', 'data']);

/**
 * Extracts the items of microdata or RDFa Lite. Nested items are values of properties. `itemref` is not
 * followed, and at most 5,000 properties are read.
 */
export function extractItems(document: Document, url: string, syntax: keyof typeof SYNTAXES): JsonLdItem[] {
  const { scope, type, property } = SYNTAXES[syntax];
  const base = documentBaseUrl(document, url);
  const items: JsonLdItem[] = [];
  let properties = 0;

  /** Recursion is safe, because the parser limits the depth of a page. */
  function visit(element: Element, owner: JsonLdItem | undefined): void {
    const { attribs } = element;
    const names = namesIn(attribs[property]);
    if ((attribs[scope] !== undefined || names.length > 0) && properties++ > MAX_PROPERTIES) return;
    let within = owner;
    if (attribs[scope] !== undefined) {
      const name = typeName(attribs[type]);
      const item: JsonLdItem = { ...(name && { '@type': name }) };
      // A nested item is added under its first name only, because two names at each level would grow
      // exponentially.
      if (owner && names[0] !== undefined) add(owner, names[0], item);
      else items.push(item);
      within = item;
    } else if (owner && names.length > 0) {
      const value = readValue(element, base);
      if (value !== '') for (const each of names) add(owner, each, value);
    }
    for (const child of element.children) if (isTag(child)) visit(child, within);
  }

  for (const child of document.children) if (isTag(child)) visit(child, undefined);
  return items.filter((item) => Object.keys(item).some((name) => name !== '@type'));
}

/** The property names without vocabularies. Open Graph names are excluded, because they describe the page. */
function namesIn(value: string | undefined): string[] {
  return (value ?? '')
    .split(/\s+/)
    .slice(0, 10)
    .map(withoutVocabulary)
    .filter((name) => name !== '' && !name.includes(':') && name !== '__proto__');
}

function add(item: JsonLdItem, name: string, value: unknown): void {
  const before = Object.hasOwn(item, name) ? item[name] : undefined;
  if (before === undefined) item[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else item[name] = [before, value];
}

function readValue(element: Element, base: string): string {
  const { name, attribs } = element;
  if (attribs.content !== undefined) return enumerationName(attribs.content.trim());
  const attribute = VALUES[name];
  const value = attribute === undefined ? undefined : attribs[attribute]?.trim();
  if (attribute === undefined || value === undefined) return textOf(element);
  return URL_VALUE_ATTRIBUTES.has(attribute) ? enumerationName(resolveUrl(value, base) ?? value) : value;
}
