/** The plain proxies, or those that get past more blocks; `basic` needs none. */
export type ProxyKind = 'basic' | 'enhanced';

/** What the actions of a request brought, each list in the order of its actions. */
export interface ActionResults {
  /** Blob references of pictures. */
  screenshots: string[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  /** Blob references of documents. */
  pdfs: string[];
}

/** A file of sound or moving pictures, or a playlist of such files, as it was answered. */
export interface LoadedMedia {
  url: string;
  /** `Content-Type` as it was sent. */
  contentType: string;
}

/** A page that tests or blocks its visitor in place of the requested page. */
export interface Challenge {
  /** Whose product it is, such as `cloudflare`; `captcha` where that cannot be told. */
  maker: string;
  /** Nothing of the page asked for can be on it. */
  isCertain: boolean;
}

/**
 * A page as an engine fetched it, before any output is derived from it.
 * Plain data: it travels to the rendering threads and into the cache.
 */
export interface Snapshot {
  /** The URL as the user wrote it. */
  sourceUrl: string;
  /** The URL that responded, after redirects. */
  url: string;
  /** HTTP status of the response. */
  statusCode: number;
  /** `Content-Type` as it was sent; empty when there was none. */
  contentType: string;
  /** What `text` is: HTML source, a JSON document, plain text, or a file's bytes in base64. */
  kind: 'html' | 'json' | 'text' | 'base64';
  text: string;
  /** The engine that fetched it. */
  engine: 'http' | 'browser';
  /** When it was fetched, in milliseconds since 1970. */
  fetchedAt: number;
  /** The response ended before it was complete. */
  isPartial?: true;
  /** Absent for a page that is no challenge. */
  challenge?: Challenge;
  /** Milliseconds of the `Retry-After` header, if the response has one. */
  retryAfterMs?: number;
  /** Time zone that the browser showed to the page, an IANA name. */
  timezone?: string;
  /** Blob references of files made while the page was open, by the format that asked for them. */
  files: Record<string, string>;
  /** Plain data that formats asked the open page for, by the format. */
  surveys?: Record<string, unknown>;
  /** What the page loaded to play, where a browser had it open; of an address that is itself such a file, this alone. */
  media?: LoadedMedia[];
  /** Present where the request had actions. */
  actions?: ActionResults;
  /** The kind of proxies that it was fetched through. */
  proxy: ProxyKind;
  /** Warnings for the user. */
  warnings?: string[];
}

/** How a snapshot is cut and cleaned before formats are derived from it; the same words as in a request. */
export interface CleanOptions {
  /** Keep only the main content: no headers, navigation, footers. */
  onlyMainContent: boolean;
  /** CSS selectors; when given, only what matches is kept. */
  includeTags?: string[] | undefined;
  /** CSS selectors of what is dropped. */
  excludeTags?: string[] | undefined;
  /** Replace `data:` images in markdown by a placeholder. */
  removeBase64Images: boolean;
}
