import serialize from 'dom-serializer';
import type { Document } from 'domhandler';
import { type CleanOptions, isScripted, type Snapshot } from '../snapshot.ts';
import { extractBlocks, splitTextBlocks, type TextBlock } from './blocks.ts';
import { type CleanedPage, clean, type Warn } from './clean.ts';
import { contentShare } from './content-share.ts';
import { parseFeed } from './feed.ts';
import { type JudgedBlock, judgeBlocks } from './judged-blocks.ts';
import { lazy } from './lazy.ts';
import { fencedCode, toMarkdown as toWinnowMarkdown } from './markdown/index.ts';
import type { ToMarkdown } from './markdown-converter.ts';
import { extractImages } from './media/page-images.ts';
import { findFileMedia, findPageMedia, type PageMedia } from './media/page-media.ts';
import { extractMetadata } from './metadata.ts';
import { extractFrameUrls, extractLinks } from './page-links.ts';
import { markHeadings } from './parse/marked-headings.ts';
import { parseHtml } from './parse/parse.ts';
import { placeStreamedFragments } from './parse/streamed-fragments.ts';
import { closeEmptyElements, isXhtml } from './parse/xhtml.ts';
import { selectElements } from './selector.ts';
import {
  NO_STRUCTURED_DATA,
  readStructuredData,
  type StructuredData,
} from './structured-data/structured-data.ts';
import { documentBaseUrl } from './urls.ts';
import { parseXmlList } from './xml-list.ts';
import { buildListPage } from './xml-list-page.ts';

/**
 * The content of a page that formats are derived from. Each property is computed once, when it is first read.
 */
export interface Content {
  readonly snapshot: Snapshot;
  /** Blob references by format name, see `Snapshot.files`. */
  readonly files: Record<string, string>;
  /** HTML after include, exclude and main-content filters, with absolute URLs. */
  readonly html: string;
  /** The filtered HTML as a tree, read only; `undefined` if the content is not HTML. */
  readonly tree: Document | undefined;
  /** The filtered text as blocks. */
  readonly blocks: TextBlock[];
  /** The visible text of the whole page in its order: what the filters kept, and why the rest was left out. */
  readonly judgedBlocks: JudgedBlock[];
  readonly markdown: string;
  /** URLs of the links after filtering: absolute, unique, in document order. */
  readonly links: string[];
  /** URLs of all links and frames of the unfiltered page: absolute, unique, in document order. */
  readonly discovered: string[];
  /**
   * URLs of the images after filtering; of a page that is not filtered also those of icons and previews:
   * absolute, unique, in document order. Those inside a document come first, as references to stored files.
   */
  readonly images: string[];
  /** Audio and video files of the unfiltered page. */
  readonly media: PageMedia;
  readonly metadata: Record<string, string | string[]>;
  /**
   * The share of the text that readers see on the page that was kept, from 0 to 1; `undefined` if the content
   * is not HTML.
   */
  readonly share: number | undefined;
  /** Whether the main-content filter took decisions back, because most of the running text was missing. */
  readonly isDisputed: boolean;
  /** Structured data of the unfiltered page. */
  readonly structuredData: StructuredData;
  /** Values of one attribute over all elements of the page that match a CSS selector. */
  attribute(selector: string, attribute: string): string[];
}

/** Whether fewer `noscript` elements end than begin. */
const hasOpenNoscript = (html: string) => html.split('<noscript').length > html.split('</noscript').length;

/**
 * Creates the content of a snapshot. HTML is parsed when a property is first read. Feeds and sitemaps are
 * converted to pages.
 * @param warn called for options that could not be applied, when a property is read that they apply to
 * @param toMarkdown the converter for pages of HTML
 */
export function createContent(
  snapshot: Snapshot,
  options: CleanOptions,
  warn?: Warn,
  toMarkdown: ToMarkdown = toWinnowMarkdown,
): Content {
  const { kind, text, url, contentType } = snapshot;
  if (kind === 'html') {
    const parse = () => {
      // To a browser with scripts, one `noscript` inside of another is text, and its end is that of both.
      const isNoscriptText = isScripted(snapshot) && hasOpenNoscript(text);
      const source = isXhtml(contentType) ? closeEmptyElements(text) : text;
      return markHeadings(placeStreamedFragments(parseHtml(source, isNoscriptText), source), source);
    };
    return new HtmlContent(snapshot, snapshot.document ? documentOptions(options) : options, {
      warn,
      toMarkdown,
      parse,
    });
  }
  const list = kind === 'text' ? parseXmlList(text, url) : undefined;
  if (!list) return new PlainContent(snapshot, kind);
  // A list has no boilerplate around its entries.
  return new HtmlContent(
    snapshot,
    { ...options, onlyMainContent: false },
    {
      warn,
      toMarkdown,
      parse: () => buildListPage(list, url),
      media: () => findFileMedia(snapshot, parseFeed(list, url)),
    },
  );
}

/**
 * A document has no navigation around its content, so `onlyMainContent` only removes running headers, footers
 * and page numbers, but not the first one of a text that stands nowhere else.
 */
function documentOptions({ onlyMainContent, excludeTags = [], ...options }: CleanOptions): CleanOptions {
  const excluded = onlyMainContent
    ? [...excludeTags, '[data-page-role]:not([data-only-place])']
    : excludeTags;
  return { ...options, onlyMainContent: false, excludeTags: excluded };
}

/** Whether options keep only parts of a page. */
const isFiltered = ({ onlyMainContent, includeTags = [], excludeTags = [] }: CleanOptions) =>
  onlyMainContent || includeTags.length > 0 || excludeTags.length > 0;

/** How the tree of a page is made, and its media if they are not in the tree. */
interface TreeSource {
  parse: () => Document;
  media?: () => PageMedia;
  warn: Warn | undefined;
  toMarkdown: ToMarkdown;
}

/**
 * The content of a page of HTML. It is a class, as are other objects of which every page has one, because V8
 * keeps the getters of an object literal, and thereby the page, until the next collection of the old
 * generation.
 */
class HtmlContent implements Content {
  readonly snapshot: Snapshot;
  readonly #page: () => Document;
  readonly #cleaned: () => CleanedPage;
  readonly #html: () => string;
  readonly #markdown: () => string;
  readonly #links: () => string[];
  readonly #images: () => string[];
  readonly #structuredData: () => StructuredData;
  readonly #metadata: () => Content['metadata'];
  readonly #media: () => PageMedia;
  readonly #blocks: () => TextBlock[];

  constructor(snapshot: Snapshot, options: CleanOptions, source: TreeSource) {
    this.snapshot = snapshot;
    const { url } = snapshot;
    this.#page = lazy(source.parse);
    this.#cleaned = lazy(() => clean(this.#page(), snapshot, options, source.warn));
    this.#html = lazy(() => serialize(this.tree, { encodeEntities: 'utf8' }));
    this.#markdown = lazy(() => source.toMarkdown(this.tree, { ...options, tidy: true }));
    this.#links = lazy(() => extractLinks(this.tree, url));
    this.#images = lazy(() => [
      ...(snapshot.document ? Object.values(snapshot.files) : []),
      // Only a whole page has icons and previews.
      ...extractImages(isFiltered(options) ? this.tree : this.#page(), documentBaseUrl(this.#page(), url)),
    ]);
    this.#structuredData = lazy(() => readStructuredData(this.#page(), url));
    this.#metadata = lazy(() => extractMetadata(this.#page(), url, this.structuredData));
    this.#media = lazy(() => source.media?.() ?? findPageMedia(this.#page(), snapshot, this.structuredData));
    this.#blocks = lazy(() => extractBlocks(this.tree));
  }

  get files() {
    return this.snapshot.files;
  }

  get html() {
    return this.#html();
  }

  get tree() {
    return this.#cleaned().tree;
  }

  get blocks() {
    return this.#blocks();
  }

  get judgedBlocks() {
    return judgeBlocks(this.#page(), this.#cleaned());
  }

  get markdown() {
    return this.#markdown();
  }

  get links() {
    return this.#links();
  }

  get discovered() {
    const { url } = this.snapshot;
    return [...new Set([...extractLinks(this.#page(), url), ...extractFrameUrls(this.#page(), url)])];
  }

  get images() {
    return this.#images();
  }

  get media() {
    return this.#media();
  }

  get metadata() {
    return this.#metadata();
  }

  get share() {
    const { tree, decisions } = this.#cleaned();
    return contentShare(this.#page(), tree, decisions);
  }

  get isDisputed() {
    return this.#cleaned().decisions?.areDisputed ?? false;
  }

  get structuredData() {
    return this.#structuredData();
  }

  attribute(selector: string, attribute: string) {
    // HTML has attribute names in lower case, svg some in mixed.
    return selectElements(selector, this.#page()).flatMap(
      ({ attribs }) => attribs[attribute] ?? attribs[attribute.toLowerCase()] ?? [],
    );
  }
}

/** The content of a text, a JSON document or a binary file, which is not filtered. */
class PlainContent implements Content {
  readonly snapshot: Snapshot;
  readonly html: string;
  readonly markdown: string;
  readonly tree = undefined;
  readonly share = undefined;
  readonly isDisputed = false;
  readonly links = [];
  readonly discovered = [];
  readonly images = [];
  readonly metadata = {};
  readonly structuredData = NO_STRUCTURED_DATA;
  readonly #hasText: boolean;

  constructor(snapshot: Snapshot, kind: 'json' | 'text' | 'base64') {
    const { text } = snapshot;
    this.snapshot = snapshot;
    this.html = kind === 'text' ? `<pre>${escaped(text)}</pre>` : text;
    this.markdown = kind === 'json' ? fencedCode(text.trim(), 'json') : text;
    this.#hasText = kind !== 'base64';
  }

  get files() {
    return this.snapshot.files;
  }

  get blocks() {
    return this.#hasText ? splitTextBlocks(this.snapshot.text) : [];
  }

  get judgedBlocks() {
    return this.blocks.map(({ kind, text }): JudgedBlock => ({ kind, text, isKept: true }));
  }

  get media() {
    return findFileMedia(this.snapshot);
  }

  attribute() {
    return [];
  }
}

/** Replaces one character at a time, which needs less memory in V8 than one pattern for all. */
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
