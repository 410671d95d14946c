import type { SourceText } from './source-text.ts';

/** The kind of proxies: `enhanced` ones get past more blocks; `basic` also means no proxy. */
export type ProxyKind = 'basic' | 'enhanced';

/** The results of the actions of a request, each list in the order of its actions. */
export interface ActionResults {
  /** Blob references of images. */
  screenshots: string[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  /** Blob references of PDF files. */
  pdfs: string[];
}

/** An audio or video file that a page loaded, or a playlist of such files. */
export interface LoadedMedia {
  url: string;
  /** The `Content-Type` header of its response. */
  contentType: string;
}

/** A page that tests or blocks its visitor in place of the requested page. */
export interface Challenge {
  /** The provider of the challenge, such as `cloudflare`; `captcha` if it is unknown. */
  maker: string;
  /** Whether the page certainly has no part of the requested page. */
  isCertain: boolean;
}

/** A block of a page of a document, as the option `blocks` of a parser returns it. */
interface DocumentBlock {
  /** `p<page>.b<index>`, with the page counted from 1 and the block on the page from 0. */
  id: string;
  type: string;
  /** The label that the text gives the block, such as `Table 3`; `null` without one. */
  label: string | null;
  /** Left, top, right and bottom as fractions (0 to 1) of the width and height of the page. */
  bbox: [number, number, number, number];
  content: string;
  /** Position on the page in reading order, from 0. */
  readingOrder: number;
  source: 'native_text' | 'ocr';
  /** How sure OCR is of the text, from 0 to 1; `null` for text of the file. */
  ocrConfidence: number | null;
}

/** A page of a document. */
export interface DocumentPage {
  /** Counted from 1. */
  number: number;
  /** In points. */
  width: number;
  /** In points. */
  height: number;
  /** Whether all of the page, a part or nothing of it could be read. */
  status: 'ok' | 'partial' | 'failed';
  /** The content of the page as HTML without a head. */
  html: string;
  blocks: DocumentBlock[];
  /** Reference to the picture of the page, if the request asked for it. */
  image?: string;
}

/** Properties that only documents have: files that are not pages of a site, such as PDF and office files. */
export interface DocumentParts {
  /** The type of the file, named by its extension. */
  type: string;
  /** Number of pages that were read; absent for types without pages. */
  numPages?: number;
  /** Number of pages of the file; absent for types without pages. */
  totalPages?: number;
  /** The pages that were read, if the request asked for them. */
  pages?: DocumentPage[];
  /** Whether the images of the document are among `Snapshot.files`. */
  hasImages: boolean;
}

/** A page as an engine fetched it, before any output is derived from it. */
export interface Snapshot {
  /** The URL as the user wrote it. */
  sourceUrl: string;
  /** The URL that responded, after redirects. */
  url: string;
  /** HTTP status of the response. */
  statusCode: number;
  /** The `Content-Type` header of the response; empty if it had none. */
  contentType: string;
  /** The kind of `text`: HTML source, a JSON document, plain text, or the bytes of a file in base64. */
  kind: 'html' | 'json' | 'text' | 'base64';
  text: string;
  /** The engine that fetched it, or read it if it is an uploaded file. */
  engine: 'http' | 'browser' | 'upload';
  /** Time of the fetch, in milliseconds since 1970. */
  fetchedAt: number;
  /** The response ended before it was complete, or its scripts failed. */
  isPartial?: true;
  /** `text` is the HTML of the response, although the engine is the browser. */
  isUnrendered?: true;
  /** Present if the page is a challenge. */
  challenge?: Challenge;
  /** Milliseconds of the `Retry-After` header, if the response has one. */
  retryAfterMs?: number;
  /** IANA name of the time zone that the browser reported to the page. */
  timezone?: string;
  /**
   * Blob references of files that were created while the page was open, by the format that requested them.
   */
  files: Record<string, string>;
  /** Plain data that formats read from the open page, by the format. */
  collectedData?: Record<string, unknown>;
  /** Media files that the page loaded in the browser. For the URL of a media file, this file alone. */
  media?: LoadedMedia[];
  /** Present if the request had actions. */
  actions?: ActionResults;
  /** The kind of proxies that it was fetched through. */
  proxy: ProxyKind;
  /** Warnings for the user. */
  warnings?: string[];
  /** Present if the response was a document, which `text` is the HTML of. */
  document?: DocumentParts;
}

/** Whether scripts have run on a page, so that what it has for visitors without scripts does not apply. */
export const isScripted = ({ engine, isUnrendered }: Pick<Snapshot, 'engine' | 'isUnrendered'>): boolean =>
  engine === 'browser' && !isUnrendered;

/**
 * A snapshot whose text need not be a string yet. It is plain data, because it is sent to the rendering
 * threads and stored in the cache.
 */
export interface FetchedSnapshot extends Omit<Snapshot, 'text'> {
  text: SourceText;
}

/**
 * How a snapshot is cleaned before formats are derived from it. The names are those of the request options.
 */
export interface CleanOptions {
  /** Keeps only the main content, without headers, navigation and footers. */
  onlyMainContent: boolean;
  /** CSS selectors; if present, only matching elements are kept. */
  includeTags?: string[] | undefined;
  /** CSS selectors of elements that are removed. */
  excludeTags?: string[] | undefined;
  /** Replaces the `data:` URLs of images in markdown with a placeholder. */
  removeBase64Images: boolean;
}
