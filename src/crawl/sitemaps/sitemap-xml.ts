import { Parser } from 'htmlparser2';

/** An entry of a sitemap: a page or another sitemap. */
export interface SitemapEntry {
  kind: 'page' | 'sitemap';
  url: string;
}

/** Parses XML in pieces and returns the entries found in each piece. */
export interface XmlReader {
  /** @returns `undefined` as soon as the text turns out not to be a sitemap or feed */
  read(text: string): SitemapEntry[] | undefined;
}

/** Maximum characters of a URL; longer ones are skipped. The protocol allows 2,048. */
export const MAX_URL_CHARACTERS = 8_192;
/**
 * Limits for nested elements and for the characters of one tag or comment. A real sitemap nests
 * about four elements and has tags of a few hundred characters.
 */
const MAX_DEPTH = 10_000;
const MAX_MARKUP_CHARACTERS = 1024 * 1024;

/**
 * The kind of URL in a `<loc>`, by its parent element. The `<loc>` of an image or video has another parent
 * and is skipped.
 */
const LOC_PARENTS: Record<string, SitemapEntry['kind']> = {
  url: 'page',
  urlset: 'page',
  sitemap: 'sitemap',
  sitemapindex: 'sitemap',
};
/** Parent elements whose `<link>` is a page: `item` in RSS, `entry` in Atom. */
const LINK_PARENTS = new Set(['item', 'entry']);

const localName = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();

/** Parses and normalizes an http or https URL; returns `undefined` for any other text. */
export function parseHttpUrl(text: string, base?: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_URL_CHARACTERS || /\s/.test(trimmed)) return undefined;
  const url = URL.parse(trimmed, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/**
 * Creates a reader of sitemaps, sitemap indexes, RSS and Atom. XML that is not well-formed is read as far as
 * possible. Entities that a document defines itself are not resolved.
 * @param base the URL that relative links of a feed are resolved against; sitemaps may not have relative URLs
 */
export function createXmlReader(base: string): XmlReader {
  const open: string[] = [];
  let found: SitemapEntry[] = [];
  let refused = false;
  let urlText: string | undefined;
  let markup = 0;

  function add(kind: SitemapEntry['kind'], text: string, relativeTo?: string): void {
    const url = parseHttpUrl(text, relativeTo);
    if (url) found.push({ kind, url });
  }

  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        markup = 0;
        const name = localName(qualified);
        const parent = open.at(-1) ?? '';
        refused ||= open.length > MAX_DEPTH || (open.length === 0 && name === 'html');
        open.push(name);
        if (name === 'loc' || name === 'link') urlText = '';
        const isPage = (attributes.rel ?? 'alternate') === 'alternate';
        if (name === 'link' && LINK_PARENTS.has(parent) && attributes.href && isPage)
          add('page', attributes.href, base);
      },
      ontext(text) {
        markup = 0;
        if (urlText !== undefined && urlText.length <= MAX_URL_CHARACTERS) urlText += text;
      },
      onclosetag() {
        markup = 0;
        const name = open.pop();
        const parent = open.at(-1) ?? '';
        if (urlText === undefined || (name !== 'loc' && name !== 'link')) return;
        const kind = name === 'loc' && Object.hasOwn(LOC_PARENTS, parent) ? LOC_PARENTS[parent] : undefined;
        if (kind) add(kind, urlText);
        else if (name === 'link' && LINK_PARENTS.has(parent)) add('page', urlText, base);
        urlText = undefined;
      },
      oncommentend: () => (markup = 0),
    },
    { xmlMode: true },
  );

  return {
    read(text) {
      markup += text.length;
      found = [];
      parser.write(text);
      return refused || markup > MAX_MARKUP_CHARACTERS ? undefined : found;
    },
  };
}
