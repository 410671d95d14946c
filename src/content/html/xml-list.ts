import { Parser } from 'htmlparser2';
import { resolveUrl } from './urls.ts';

/** An element that contains a property of a list or of one of its entries. */
export interface XmlField {
  /**
   * The element name in lower case, such as `title` or `content:encoded`. The root's namespace prefix is
   * removed.
   */
  name: string;
  /** The name of the parent element. */
  parent: string;
  attributes: Record<string, string>;
  /** The text of the element itself, without nested elements. Entities and CDATA are decoded. */
  text: string;
  /** The unchanged markup inside the element, for texts in XHTML. */
  markup?: string;
  /** The URL that `xml:base` sets for relative URLs in the element. */
  base?: string;
}

/** The elements of a feed or sitemap in document order. */
export interface XmlList {
  root: 'rss' | 'rdf' | 'feed' | 'urlset' | 'sitemapindex';
  /** `xml:lang` of the root. */
  language?: string;
  /** The fields outside of entries. */
  head: XmlField[];
  entries: XmlField[][];
}

/**
 * Matches the root element. White space, comments, processing instructions and a document type may precede
 * it.
 */
const ROOT =
  /^(?:[\s\uFEFF]|<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->|<!doctype[^<>]*>)*<(?:[\w.-]+:)?(rss|rdf|feed|urlset|sitemapindex)[\s>/]/i;
const MAX_CHARACTERS_BEFORE_ROOT = 4_096;
const ENTRIES: Record<XmlList['root'], string> = {
  rss: 'item',
  rdf: 'item',
  feed: 'entry',
  urlset: 'url',
  sitemapindex: 'sitemap',
};
/** Maximum depth of elements, at which parsing stops. Normal lists nest about five elements. */
const MAX_DEPTH = 1_000;

/** The root of a feed (RSS, RDF, Atom) or a sitemap; `undefined` for any other text. */
function findRoot(text: string): XmlList['root'] | undefined {
  const [, root] = ROOT.exec(text.slice(0, MAX_CHARACTERS_BEFORE_ROOT)) ?? [];
  // The cast is safe, because the pattern matches only these names.
  return root?.toLowerCase() as XmlList['root'] | undefined;
}

/**
 * Parses a feed or sitemap. Text that is not well-formed is parsed as far as possible.
 * @param url the URL that `xml:base` attributes are resolved against
 * @returns `undefined` if the text is neither a feed nor a sitemap
 */
export function parseXmlList(xml: string, url: string): XmlList | undefined {
  const root = findRoot(xml);
  if (!root) return undefined;
  const list: XmlList = { root, head: [], entries: [] };
  const open: { name: string; base?: string; field?: XmlField }[] = [];
  let entry: XmlField[] | undefined;
  let prefix = '';
  /** The depth of the open XHTML text, and the start of its markup. Elements inside it are not fields. */
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
          // The stack is not empty, because the element was pushed above.
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
