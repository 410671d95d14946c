import { Parser } from 'htmlparser2';

/** An entry of a sitemap: a page or another sitemap. */
export interface SitemapEntry {
  kind: 'page' | 'sitemap';
  url: string;
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
export function normalizeHttpUrl(text: string, base?: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_URL_CHARACTERS || /\s/.test(trimmed)) return undefined;
  const url = URL.parse(trimmed, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/**
 * Parses sitemaps, sitemap indexes, RSS and Atom piece by piece. XML that is not well-formed is read as far
 * as possible. Entities that a document defines itself are not resolved.
 */
export class SitemapXmlParser {
  readonly #baseUrl: string;
  readonly #parser: Parser;
  /** The local names of the open elements, from the root to the innermost one. */
  readonly #openElements: string[] = [];
  #entries: SitemapEntry[] = [];
  #isRefused = false;
  /** The text of the `<loc>` or `<link>` that is open; `undefined` outside of these elements. */
  #urlText: string | undefined;
  /** Number of characters since the end of the last tag, comment or text. */
  #markupCharacters = 0;

  /**
   * @param baseUrl the URL that relative links of a feed are resolved against; sitemaps may not have relative
   *   URLs
   */
  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#openElement(localName(name), attributes),
        ontext: (text) => this.#addText(text),
        onclosetag: () => this.#closeElement(),
        oncommentend: () => (this.#markupCharacters = 0),
      },
      { xmlMode: true },
    );
  }

  /**
   * Parses the next piece.
   * @returns the entries that end in it; `undefined` as soon as the text turns out not to be a sitemap or
   * feed
   */
  parse(text: string): SitemapEntry[] | undefined {
    this.#markupCharacters += text.length;
    this.#entries = [];
    this.#parser.write(text);
    return this.#isRefused || this.#markupCharacters > MAX_MARKUP_CHARACTERS ? undefined : this.#entries;
  }

  #addEntry(kind: SitemapEntry['kind'], text: string, baseUrl?: string): void {
    const url = normalizeHttpUrl(text, baseUrl);
    if (url) this.#entries.push({ kind, url });
  }

  #openElement(name: string, attributes: Record<string, string>): void {
    this.#markupCharacters = 0;
    const depth = this.#openElements.length;
    const parent = this.#openElements.at(-1) ?? '';
    this.#isRefused ||= depth > MAX_DEPTH || (depth === 0 && name === 'html');
    this.#openElements.push(name);
    if (name === 'loc' || name === 'link') this.#urlText = '';
    const isPage = (attributes.rel ?? 'alternate') === 'alternate';
    if (name === 'link' && LINK_PARENTS.has(parent) && attributes.href && isPage)
      this.#addEntry('page', attributes.href, this.#baseUrl);
  }

  #addText(text: string): void {
    this.#markupCharacters = 0;
    if (this.#urlText !== undefined && this.#urlText.length <= MAX_URL_CHARACTERS) this.#urlText += text;
  }

  #closeElement(): void {
    this.#markupCharacters = 0;
    const name = this.#openElements.pop();
    const parent = this.#openElements.at(-1) ?? '';
    const text = this.#urlText;
    if (text === undefined || (name !== 'loc' && name !== 'link')) return;
    const kind = name === 'loc' && Object.hasOwn(LOC_PARENTS, parent) ? LOC_PARENTS[parent] : undefined;
    if (kind) this.#addEntry(kind, text);
    else if (name === 'link' && LINK_PARENTS.has(parent)) this.#addEntry('page', text, this.#baseUrl);
    this.#urlText = undefined;
  }
}
