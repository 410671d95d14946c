import { Parser } from 'htmlparser2';

/** What a sitemap names: a page, or another sitemap. */
export interface SitemapEntry {
  kind: 'page' | 'sitemap';
  url: string;
}

/** Takes XML in pieces and gives the entries found in each. */
export interface XmlReader {
  /** @returns `undefined` once the text proves to be no sitemap or feed */
  read(text: string): SitemapEntry[] | undefined;
}

/** Longer addresses are skipped; the protocol allows 2,048 characters. */
export const MAX_ADDRESS = 8_192;
/** Elements inside each other, and characters of one tag or comment: a sitemap has four, and some hundred. */
const MAX_DEPTH = 10_000;
const MAX_MARKUP = 1024 * 1024;

/** Kind of the addresses that stand in `<loc>`, by the element around it; images and videos have their own. */
const LOC_PARENTS: Record<string, SitemapEntry['kind']> = {
  url: 'page',
  urlset: 'page',
  sitemap: 'sitemap',
  sitemapindex: 'sitemap',
};
/** Elements whose `<link>` is a page: of RSS and of Atom. */
const LINK_PARENTS = new Set(['item', 'entry']);

const localName = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();

/** The address of a web page or file; `undefined` for anything else. */
export function readAddress(text: string, base?: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_ADDRESS || /\s/.test(trimmed)) return undefined;
  const url = URL.parse(trimmed, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/**
 * Reads sitemaps, sitemap indexes, RSS and Atom. What is not well-formed is read as far as it makes sense; entities
 * that a document defines itself stay as they are.
 * @param base what relative links of a feed refer to; sitemaps must not have any
 */
export function createXmlReader(base: string): XmlReader {
  const open: string[] = [];
  let found: SitemapEntry[] = [];
  let refused = false;
  let address: string | undefined;
  let markup = 0;

  function add(kind: SitemapEntry['kind'], text: string, relativeTo?: string): void {
    const url = readAddress(text, relativeTo);
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
        if (name === 'loc' || name === 'link') address = '';
        const isPage = (attributes.rel ?? 'alternate') === 'alternate';
        if (name === 'link' && LINK_PARENTS.has(parent) && attributes.href && isPage)
          add('page', attributes.href, base);
      },
      ontext(text) {
        markup = 0;
        if (address !== undefined && address.length <= MAX_ADDRESS) address += text;
      },
      onclosetag() {
        markup = 0;
        const name = open.pop();
        const parent = open.at(-1) ?? '';
        if (address === undefined || (name !== 'loc' && name !== 'link')) return;
        const kind = name === 'loc' && Object.hasOwn(LOC_PARENTS, parent) ? LOC_PARENTS[parent] : undefined;
        if (kind) add(kind, address);
        else if (name === 'link' && LINK_PARENTS.has(parent)) add('page', address, base);
        address = undefined;
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
      return refused || markup > MAX_MARKUP ? undefined : found;
    },
  };
}
