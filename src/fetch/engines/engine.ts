import type { Collected, OpenPage } from '../../content/formats/format.ts';
import type { UnconvertedDocument } from '../../content/parsers/document.ts';
import type { FetchedSnapshot, ProxyKind } from '../../content/snapshot.ts';
import type { Action } from '../../schemas/actions.ts';
import type { Redirect } from '../../schemas/page-trace.ts';
import type { ProfileOptions } from '../browser/browser-profile.ts';
import type { DuringWait } from '../browser/chromium/browser-pool.ts';
import type { BrowsingContext } from '../browser/chromium/browsing-context.ts';
import type { ProxyRoute } from '../net/checked-egress.ts';
import type { Exchange } from '../net/exchange.ts';

/** A browser for one page alone, which stays open after the visit. */
interface OwnBrowser {
  /** Runs a visit like a lease of the pool. @returns `undefined` if no browser is free */
  visit<Result>(
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<{ result: Result } | undefined>;
  /** Closes the page of the last visit, because that of another one is the result. */
  discard(): void;
}

/** The part of a scrape request that engines need. */
export interface PageRequest {
  /** The team whose page it is, which takes turns with others; absent where the page is that of a test. */
  owner?: string | undefined;
  /** The URL as the user wrote it; becomes the snapshot's `sourceUrl`. */
  sourceUrl: string;
  /** The URL to fetch. */
  url: string;
  headers: Record<string, string>;
  skipTlsVerification: boolean;
  mobile: boolean;
  /** Milliseconds that the user asked to wait before the page is read; more than 0 needs the browser. */
  waitForMs: number;
  /**
   * Milliseconds that the browser waits at least before it reads the page; this alone does not need the
   * browser.
   */
  minWaitMs: number;
  /** Whether the body of the response is requested unchanged, in base64. */
  wantsBody: boolean;
  /** Whether the images inside a document are requested. */
  wantsImages: boolean;
  /** The parsers that may be used, each with its options. */
  parsers: { type: string }[];
  /** The hosts that the page may be on after redirects; absent if any may be. */
  allowedHosts?: readonly string[] | undefined;
  /** The country from which the page is visited, and the languages of the visitor. */
  location: { country?: string | undefined; languages?: string[] | undefined } | undefined;
  /** Whether to block advertisements and reject cookie notices. */
  blockAds: boolean;
  /** Whether media URLs are requested. For a URL that is itself a media file, the URL is enough. */
  media: boolean;
  /** Actions to perform, in order, before the page is read. */
  actions: Action[];
  /** Which pool of proxies to use, if there are any. */
  proxy: ProxyKind;
  /** The profile to open the page with. */
  profile: ProfileOptions | undefined;
  /** Wraps the wait for a browser. */
  duringWait?: DuringWait | undefined;
  /** Called with each URL that leads elsewhere. */
  onRedirect?: ((redirect: Redirect) => void) | undefined;
  /**
   * Called once at most, when the host has answered everything that the open page asked for, before the page
   * is read.
   */
  onRequestsEnded?: (() => void) | undefined;
  /**
   * The job whose pages of one host may be opened in one context, one after the other; absent if this page
   * needs its own.
   */
  sharedBy?: string | undefined;
  /** A browser for this page alone. */
  ownBrowser?: OwnBrowser | undefined;
  /** Functions of formats that run on the open page, by format type. */
  collect: Record<string, (page: OpenPage) => Promise<Collected>>;
  /** Whether the responses are kept as they come, for a web archive; absent if not. */
  archive?: boolean | undefined;
}

/** The proxy route of a request. */
export const routeOf = ({ proxy, location }: Pick<PageRequest, 'proxy' | 'location'>): ProxyRoute => ({
  proxy,
  country: location?.country,
});

/** The defaults of a page request. */
export const PLAIN_PAGE = {
  headers: {},
  skipTlsVerification: true,
  mobile: false,
  waitForMs: 0,
  wantsBody: false,
  wantsImages: false,
  parsers: [{ type: 'pdf' }],
  location: undefined,
  blockAds: false,
  media: false,
  actions: [],
  proxy: 'basic',
  profile: undefined,
  collect: {},
  minWaitMs: 0,
} satisfies Omit<PageRequest, 'sourceUrl' | 'url'>;

/** A page as an engine fetched it. */
export interface EngineResult extends FetchedSnapshot {
  /**
   * Set if the page is a document. It is converted after the engine has been chosen; until then `text` is
   * empty.
   */
  unconverted?: UnconvertedDocument | undefined;
  /** The requests of the page with their responses, if the request wants them for a web archive. */
  exchanges?: Exchange[] | undefined;
}

/**
 * A way to fetch a page. An aborted call throws the reason of the signal.
 * @example
 * const engine: Engine = createHttpEngine({ egress, userAgent, maxBodyBytes });
 * const page = await engine.fetchPage({ ...PLAIN_PAGE, sourceUrl: url, url }, AbortSignal.timeout(30_000));
 */
export interface Engine {
  fetchPage(request: PageRequest, signal: AbortSignal): Promise<EngineResult>;
}
