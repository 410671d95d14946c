import { Parser } from 'htmlparser2';
import { resolveUrl } from './urls.ts';

/** An element with a property of a list or of one of its entries. */
export interface XmlField {
  /** In lower case, without the prefix that the root has: `title`, `content:encoded`. */
  name: string;
  /** The name of the element around it. */
  parent: string;
  attributes: Record<string, string>;
  /** Its own text, entities and CDATA read. Without that of elements inside. */
  text: string;
  /** The markup inside, as it was sent: of texts that are XHTML. */
  markup?: string;
  /** What relative URLs in it refer to, where `xml:base` says so. */
  base?: string;
}

/** A feed or a sitemap, element by element in document order. */
export interface XmlList {
  root: 'rss' | 'rdf' | 'feed' | 'urlset' | 'sitemapindex';
  /** `xml:lang` of the root. */
  language?: string;
  /** The fields outside of entries. */
  head: XmlField[];
  entries: XmlField[][];
}

/** The root element, behind what may come before it: blanks, comments, instructions, a document type. */
const ROOT =
  /^(?:[\s\uFEFF]|<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->|<!doctype[^<>]*>)*<(?:[\w.-]+:)?(rss|rdf|feed|urlset|sitemapindex)[\s>/]/i;
const MAX_CHARACTERS_BEFORE_ROOT = 4_096;
const ENTRIES: Record<XmlList['root'], string> = {
  ...{ rss: 'item', rdf: 'item', feed: 'entry', urlset: 'url', sitemapindex: 'sitemap' },
};
/** Lists nest about five elements; what is deeper was not made to be read. */
const MAX_DEPTH = 1_000;

/** The root of a feed (RSS, RDF, Atom) or a sitemap; `undefined` for any other text. */
function findRoot(text: string): XmlList['root'] | undefined {
  const [, root] = ROOT.exec(text.slice(0, MAX_CHARACTERS_BEFORE_ROOT)) ?? [];
  // The pattern names the roots.
  return root?.toLowerCase() as XmlList['root'] | undefined;
}

/**
 * Reads a feed or a sitemap as far as its text makes sense: what is not well-formed ends earlier.
 * @param url what the bases of `xml:base` refer to
 * @returns `undefined` for what is neither
 */
export function parseXmlList(xml: string, url: string): XmlList | undefined {
  const root = findRoot(xml);
  if (!root) return undefined;
  const list: XmlList = { root, head: [], entries: [] };
  const open: { name: string; base?: string; field?: XmlField }[] = [];
  let entry: XmlField[] | undefined;
  let prefix = '';
  /** The text that is XHTML and where its markup starts: what is inside is no field. */
  let inside: { depth: number; start: number } | undefined;

  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        if (open.length === 0) {
          prefix = qualified.slice(0, qualified.indexOf(':') + 1).toLowerCase();
          if (attributes['xml:lang']) list.language = attributes['xml:lang'];
        }
        const lower = qualified.toLowerCase();
        const name = lower.startsWith(prefix) ? lower.slice(prefix.length) : lower;
        const around = open.at(-1);
        const base = attributes['xml:base']
          ? resolveUrl(attributes['xml:base'], around?.base ?? url)
          : around?.base;
        if (open.length >= MAX_DEPTH) return parser.pause();
        open.push({ name, ...(base && { base }) });
        if (inside) return;
        if (name === ENTRIES[root]) {
          entry = [];
          list.entries.push(entry);
        } else if (around) {
          const field = { name, parent: around.name, attributes, text: '', ...(base && { base }) };
          // The element was pushed above.
          open.at(-1)!.field = field;
          (entry ?? list.head).push(field);
          if (attributes.type === 'xhtml') inside = { depth: open.length, start: parser.endIndex + 1 };
        }
      },
      ontext(part) {
        const field = open.at(-1)?.field;
        if (field) field.text += part;
      },
      onclosetag() {
        if (inside?.depth === open.length) {
          const field = open.at(-1)?.field;
          if (field) field.markup = xml.slice(inside.start, parser.startIndex);
          inside = undefined;
        }
        if (open.pop()?.name === ENTRIES[root] && !inside) entry = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return list;
}
