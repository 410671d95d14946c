import serialize from 'dom-serializer';
import type { Document } from 'domhandler';
import type { CleanOptions, Snapshot } from '../snapshot.ts';
import { extractBlocks, splitTextBlocks, type TextBlock } from './blocks.ts';
import { clean, type Warn } from './clean.ts';
import { parseFeed } from './feed.ts';
import { fencedCode, toMarkdown as toWinnowMarkdown } from './markdown/index.ts';
import type { ToMarkdown } from './markdown-converter.ts';
import { extractImages } from './media/page-images.ts';
import { findFileMedia, findPageMedia, type PageMedia } from './media/page-media.ts';
import { extractMetadata } from './metadata.ts';
import { extractFrameUrls, extractLinks } from './page-links.ts';
import { parseHtml } from './parse/parse.ts';
import { placeStreamedFragments } from './parse/streamed-fragments.ts';
import { closeEmptyElements, isXhtml } from './parse/xhtml.ts';
import { selectElements } from './selector.ts';
import {
  NO_STRUCTURED_DATA,
  readStructuredData,
  type StructuredData,
} from './structured-data/structured-data.ts';
import { parseXmlList } from './xml-list.ts';
import { buildListPage } from './xml-list-page.ts';

/** The content of a page that formats are derived from. Each property is computed once, when it is first read. */
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
  readonly markdown: string;
  /** URLs of the links after filtering: absolute, unique, in document order. */
  readonly links: string[];
  /** URLs of all links and frames of the unfiltered page: absolute, unique, in document order. */
  readonly discovered: string[];
  /**
   * URLs of all images of the unfiltered page: absolute, unique, in document order. Those inside a document come first,
   * as references to stored files.
   */
  readonly images: string[];
  /** Audio and video files of the unfiltered page. */
  readonly media: PageMedia;
  readonly metadata: Record<string, string | string[]>;
  /** Structured data of the unfiltered page. */
  readonly structuredData: StructuredData;
  /** Values of one attribute over all elements of the page that match a CSS selector. */
  attribute(selector: string, attribute: string): string[];
}

/**
 * Creates the content of a snapshot. HTML is parsed when a property is first read. Feeds and sitemaps are converted to
 * pages.
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
      const source = isXhtml(contentType) ? closeEmptyElements(text) : text;
      return placeStreamedFragments(parseHtml(source), source);
    };
    return htmlContent(snapshot, snapshot.document ? documentOptions(options) : options, {
      warn,
      toMarkdown,
      parse,
    });
  }
  const list = kind === 'text' ? parseXmlList(text, url) : undefined;
  if (!list) return plainContent(snapshot, kind);
  // A list has no boilerplate around its entries.
  return htmlContent(
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
 * A document has no navigation around its content, so `onlyMainContent` only removes running headers, footers and page
 * numbers.
 */
function documentOptions({ onlyMainContent, excludeTags = [], ...options }: CleanOptions): CleanOptions {
  const excluded = onlyMainContent ? [...excludeTags, '[data-page-role]'] : excludeTags;
  return { ...options, onlyMainContent: false, excludeTags: excluded };
}

/** How the tree of a page is made, and its media if they are not in the tree. */
interface TreeSource {
  parse: () => Document;
  media?: () => PageMedia;
  warn: Warn | undefined;
  toMarkdown: ToMarkdown;
}

function htmlContent(snapshot: Snapshot, options: CleanOptions, source: TreeSource): Content {
  const page = lazy(source.parse);
  const cleaned = lazy(() => clean(page(), snapshot, options, source.warn));
  const html = lazy(() => serialize(cleaned(), { encodeEntities: 'utf8' }));
  const markdown = lazy(() => source.toMarkdown(cleaned(), { ...options, tidy: true }));
  const links = lazy(() => extractLinks(cleaned(), snapshot.url));
  const images = lazy(() => [
    ...(snapshot.document ? Object.values(snapshot.files) : []),
    ...extractImages(page(), snapshot.url),
  ]);
  const structuredData = lazy(() => readStructuredData(page(), snapshot.url));
  const metadata = lazy(() => extractMetadata(page(), snapshot.url, structuredData()));
  const media = lazy(() => source.media?.() ?? findPageMedia(page(), snapshot, structuredData()));
  const blocks = lazy(() => extractBlocks(cleaned()));
  return {
    snapshot,
    files: snapshot.files,
    get html() {
      return html();
    },
    get tree() {
      return cleaned();
    },
    get blocks() {
      return blocks();
    },
    get markdown() {
      return markdown();
    },
    get links() {
      return links();
    },
    get discovered() {
      return [...new Set([...extractLinks(page(), snapshot.url), ...extractFrameUrls(page(), snapshot.url)])];
    },
    get images() {
      return images();
    },
    get media() {
      return media();
    },
    get metadata() {
      return metadata();
    },
    get structuredData() {
      return structuredData();
    },
    attribute: (selector, attribute) =>
      // HTML has attribute names in lower case, svg some in mixed.
      selectElements(selector, page()).flatMap(
        ({ attribs }) => attribs[attribute] ?? attribs[attribute.toLowerCase()] ?? [],
      ),
  };
}

/** The content of a text, a JSON document or a binary file, which is not filtered. */
function plainContent(snapshot: Snapshot, kind: 'json' | 'text' | 'base64'): Content {
  const { text, files } = snapshot;
  return {
    snapshot,
    files,
    html: kind === 'text' ? `<pre>${escaped(text)}</pre>` : text,
    markdown: kind === 'json' ? fencedCode(text.trim(), 'json') : text,
    tree: undefined,
    get blocks() {
      return kind === 'base64' ? [] : splitTextBlocks(text);
    },
    links: [],
    discovered: [],
    images: [],
    get media() {
      return findFileMedia(snapshot);
    },
    metadata: {},
    structuredData: NO_STRUCTURED_DATA,
    attribute: () => [],
  };
}

/** Replaces one character at a time, which needs less memory in V8 than one pattern for all. */
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** A function that computes its value on the first call and then returns it. */
function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
