import serialize from 'dom-serializer';
import { cloneNode, type Document } from 'domhandler';
import { textContent } from 'domutils';
import type { CleanOptions, Snapshot } from '../snapshot.ts';
import { absolutize, drop, keepOnly, removeNoise, select } from './clean.ts';
import { imagesOf } from './images.ts';
import { linksOf } from './links.ts';
import { keepMainContent } from './main-content.ts';
import { toMarkdown } from './markdown.ts';
import { metadataOf } from './metadata.ts';
import { parseHtml } from './parse.ts';

/**
 * What formats are derived from: lazy and memoised, so each derivation happens when the first format asks, once,
 * and formats need no order.
 */
export interface Content {
  readonly snapshot: Snapshot;
  /** Blob references by format name, see `Snapshot.files`. */
  readonly files: Record<string, string>;
  /** HTML after include, exclude and main-content filters, with absolute addresses. */
  readonly html: string;
  readonly markdown: string;
  /** Absolute, unique, in document order. */
  readonly links: string[];
  /** Absolute, unique, in document order. */
  readonly images: string[];
  readonly metadata: Record<string, string | string[]>;
  /** Values of one attribute over all elements of the page that match a CSS selector. */
  attribute(selector: string, attribute: string): string[];
}

/** Opens a snapshot for derivation; nothing is parsed before it is asked for. */
export function createContent(snapshot: Snapshot, options: CleanOptions): Content {
  return snapshot.kind === 'html' ? new HtmlContent(snapshot, options) : new PlainContent(snapshot);
}

/** A value that is made when it is first asked for. */
function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

class HtmlContent implements Content {
  readonly snapshot: Snapshot;
  readonly #page: () => Document;
  readonly #cleaned: () => Document;
  readonly #html: () => string;
  readonly #markdown: () => string;

  constructor(snapshot: Snapshot, options: CleanOptions) {
    this.snapshot = snapshot;
    this.#page = lazy(() => parseHtml(snapshot.text));
    this.#cleaned = lazy(() => clean(this.#page(), snapshot.url, options));
    this.#html = lazy(() => serialize(this.#cleaned().children, { encodeEntities: 'utf8' }));
    this.#markdown = lazy(() => toMarkdown(this.html, options));
  }

  get files() {
    return this.snapshot.files;
  }
  get html() {
    return this.#html();
  }
  get markdown() {
    return this.#markdown();
  }
  get links() {
    return linksOf(this.#cleaned(), this.snapshot.url);
  }
  get images() {
    return imagesOf(this.#page(), this.snapshot.url);
  }
  get metadata() {
    return metadataOf(this.#page(), this.snapshot.url);
  }
  attribute(selector: string, attribute: string) {
    return select(selector, this.#page()).flatMap((element) => element.attribs[attribute] ?? []);
  }
}

/** A cleaned copy; when the main-content filter leaves nothing to see, the whole page. */
function clean(page: Document, url: string, options: CleanOptions): Document {
  const document = cloneNode(page, true);
  absolutize(document, url);
  if (options.includeTags?.length) keepOnly(document, options.includeTags);
  removeNoise(document);
  if (options.excludeTags?.length) drop(document, options.excludeTags);
  if (!options.onlyMainContent) return document;
  keepMainContent(document);
  const empty = !textContent(document).trim() && !select('img', document).length;
  return empty ? clean(page, url, { ...options, onlyMainContent: false }) : document;
}

/** A text, a JSON document or a file's bytes: it is its own content. */
class PlainContent implements Content {
  readonly snapshot: Snapshot;
  readonly links: string[] = [];
  readonly images: string[] = [];
  readonly metadata: Record<string, string> = {};

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
  }

  get files() {
    return this.snapshot.files;
  }
  get html() {
    return this.snapshot.text;
  }
  get markdown() {
    const { kind, text } = this.snapshot;
    return kind === 'json' ? `\`\`\`json\n${text.trim()}\n\`\`\`` : text;
  }
  attribute() {
    return [];
  }
}
