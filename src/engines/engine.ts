import type { DuringWait } from '../browser/browser-pool.ts';
import type { ProfileOptions } from '../browser/browser-profile.ts';
import type { Collected, OpenPage } from '../formats/format.ts';
import type { Route } from '../net/egress.ts';
import type { Action } from '../schemas/actions.ts';
import { asksFor } from '../schemas/formats.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { ProxyKind, Snapshot } from '../snapshot.ts';

/** What is wanted as its bytes, in base64; all else as text. */
export type Base64Mode = 'nothing' | 'pdf' | 'everything';

/** @param request as it is scraped: with the format for it everything, without any parser PDFs */
export function chooseBase64Mode({
  formats,
  parsers,
}: Pick<ScrapeRequest, 'formats' | 'parsers'>): Base64Mode {
  if (asksFor(formats, 'rawBase64')) return 'everything';
  return parsers.length === 0 ? 'pdf' : 'nothing';
}

/** What an engine needs to know of a request. */
export interface PageRequest {
  /** As the user wrote it; becomes the snapshot's `sourceUrl`. */
  sourceUrl: string;
  /** To be fetched. */
  url: string;
  headers: Record<string, string>;
  skipTlsVerification: boolean;
  mobile: boolean;
  /** Milliseconds that the user asked to wait before the page is read; more than 0 needs the browser. */
  waitForMs: number;
  /** Milliseconds that the browser waits at least before it reads the page; this alone does not need the browser. */
  minWaitMs: number;
  base64: Base64Mode;
  /** From where the page is visited, and what its visitor reads. */
  location: { country?: string | undefined; languages?: string[] | undefined } | undefined;
  /** Neither advertisements nor cookie notices. */
  blockAds: boolean;
  /** What it plays is wanted: where it is a file of such, its address is enough. */
  media: boolean;
  /** Done on the page, in order, before it is read. */
  actions: Action[];
  /** Which pool of proxies, where there are any. */
  proxy: ProxyKind;
  /** With which browser state it is opened. */
  profile: ProfileOptions | undefined;
  /** Around the wait for a browser. */
  duringWait?: DuringWait | undefined;
  /** What formats make from the open page, by their type. */
  collect: Record<string, (page: OpenPage) => Promise<Collected>>;
}

/** By which proxies a page is fetched. */
export const routeOf = ({ proxy, location }: PageRequest): Route => ({ proxy, country: location?.country });

/** A page without any wishes. */
export const PLAIN_PAGE = {
  ...{ headers: {}, skipTlsVerification: true, mobile: false, waitForMs: 0, base64: 'nothing' },
  ...{ location: undefined, blockAds: false, media: false, actions: [], proxy: 'basic' },
  ...{ profile: undefined, collect: {}, minWaitMs: 0 },
} satisfies Omit<PageRequest, 'sourceUrl' | 'url'>;

/** A way to obtain a page. The signal's reason is what an aborted call throws. */
export interface Engine {
  fetchPage(request: PageRequest, signal: AbortSignal): Promise<Snapshot>;
}
