import { needsSource, recordsOf } from '../../content/formats/index.ts';
import type { ConversionOptions, DocumentType } from '../../content/parsers/document.ts';
import { parserOptions } from '../../schemas/parsers.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { parseTarget } from '../../url/url.ts';
import type { ProfileOptions } from '../browser/browser-profile.ts';
import type { DuringWait } from '../browser/chromium/browser-pool.ts';
import { wantsImages } from './cache-key.ts';
import type { PageRequest } from './engine.ts';
import type { ExtraCredits } from './extra-credits.ts';
import { collectOf } from './opens-browser.ts';
import type { PageTracer } from './page-tracer.ts';

/** What a fetch depends on besides the request. */
export interface FetchContext {
  /** Ends the fetch, which then throws the reason of the signal. */
  signal: AbortSignal;
  /** Whose copies in the cache the page may come from, and whose copy it becomes. */
  teamId: string;
  /** The team and saver of the profile that the request names. */
  profile?: ProfileOptions | undefined;
  /** Wraps the wait for a browser. */
  duringWait?: DuringWait;
  /**
   * Called when the host has answered everything that the page asked for, before it is read, as far as that
   * is noticed.
   */
  onRequestsEnded?: PageRequest['onRequestsEnded'];
  /** The job whose pages may share a browser context. */
  sharedBy?: PageRequest['sharedBy'];
  /** A browser for this page alone. */
  ownBrowser?: PageRequest['ownBrowser'];
  /** In whose turn a document is converted: that of a team, or of its batches and crawls together. */
  conversionOwner: string;
  /** Called with the progress of the conversion of a document. */
  onProgress?: ConversionOptions['onProgress'];
  /** Bounds what the page may cost; absent if that does not depend on how it is fetched. */
  extraCredits?: ExtraCredits;
  /** Whether the page is fetched for a web archive, which a copy in the cache cannot be taken for. */
  archive?: boolean;
  /** Records how the page goes, also if it cannot be fetched. */
  tracer?: PageTracer;
  /** Wraps the conversion of a document. */
  duringConversion?: <Result>(convert: () => Promise<Result>, type: DocumentType) => Promise<Result>;
}

/**
 * The longest wait that a format of the request needs, in milliseconds, but at most half of its timeout; 0
 * with `fastMode`, which does not use the browser.
 */
function minWaitMs({ formats, fastMode, zeroDataRetention, timeout }: ScrapeRequest): number {
  if (fastMode) return 0;
  const waits = recordsOf(formats).map(({ format }) => format.minWaitMs?.({ zeroDataRetention }) ?? 0);
  return Math.min(Math.max(0, ...waits), Math.floor(timeout / 2));
}

/** The part of the context that the engine itself needs. */
type VisitContext = Pick<
  FetchContext,
  'profile' | 'duringWait' | 'onRequestsEnded' | 'sharedBy' | 'ownBrowser' | 'archive'
> &
  Partial<Pick<FetchContext, 'teamId'>>;

/** The options of a parser without the files that zero data retention does not allow to store. */
function withoutFiles(
  options: ReturnType<typeof parserOptions>[number],
  { zeroDataRetention }: ScrapeRequest,
): ReturnType<typeof parserOptions>[number] {
  return zeroDataRetention && options.type === 'pdf' ? { ...options, pageImages: undefined } : options;
}

/** The request for the page itself, as engines receive it. */
export function toPageRequest(
  request: ScrapeRequest,
  { teamId, profile, duringWait, onRequestsEnded, sharedBy, ownBrowser, archive }: VisitContext,
): PageRequest {
  return {
    owner: teamId,
    sourceUrl: request.url,
    // The API has already validated the URL, including local names.
    url: parseTarget(request.url, true).href,
    headers: request.headers ?? {},
    skipTlsVerification: request.skipTlsVerification,
    allowedHosts: request.allowedHosts,
    mobile: request.mobile,
    waitForMs: request.waitFor,
    minWaitMs: minWaitMs(request),
    wantsBody: needsSource(request.formats, 'body'),
    wantsImages: wantsImages(request),
    parsers: parserOptions(request.parsers).map((each) => withoutFiles(each, request)),
    location: request.location,
    blockAds: request.blockAds,
    media: needsSource(request.formats, 'media'),
    actions: request.actions ?? [],
    proxy: 'basic',
    profile,
    duringWait,
    onRequestsEnded,
    sharedBy,
    ownBrowser,
    collect: collectOf(request.formats),
    archive,
  };
}
