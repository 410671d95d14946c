import { STATUS_CODES } from 'node:http';
import type { ChangeTracker, ChangeTracking, TrackedPage } from '../change-history/change-tracker.ts';
import { priceOf } from '../credits.ts';
import { translateDatabaseError } from '../db/client.ts';
import type { FetchedPage } from '../engines/index.ts';
import { policyOf, toServiceError } from '../errors.ts';
import type { MediaExtractor } from '../media/extractor.ts';
import { isGone } from '../net/response-status.ts';
import type { Rendered } from '../rendering/render.ts';
import type { RenderPool } from '../rendering/render-pool.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { extractMedia } from './extract-media.ts';

/** Dependencies for making documents. */
export interface DocumentDeps {
  renderer: RenderPool;
  tracker: ChangeTracker;
  media: MediaExtractor;
}

/** The page that a document is made from, and the options for making it. */
export interface DocumentInput {
  /** The page's `metadata.scrapeId`. */
  scrapeId: string;
  request: ScrapeRequest;
  fetched: FetchedPage;
  /** Milliseconds that the page waited for its turn; `undefined` if it did not have to wait. */
  queuedMs: number | undefined;
  /** The team and job in whose history the page is recorded; absent if nothing of the page may be kept. */
  history: Pick<TrackedPage, 'teamId' | 'jobId' | 'crawlStart' | 'hidden'> | undefined;
  /** Whether to extract the links of the page as well. */
  discover?: boolean;
  /** Whether the page belongs to a crawl. Media that it lacks are then a warning instead of an error. */
  isCrawled?: boolean;
  /** Whether a user is waiting for the page. It is then processed before the pages of batches and crawls. */
  urgent: boolean;
  signal: AbortSignal;
  /** Logs an unexpected error that the document does not fail with. */
  onFault(message: string, attributes: Record<string, unknown>): void;
}

/** A scraped page as it is stored, with its price in credits and the URLs that it links to. */
export interface FinishedDocument {
  json: Buffer;
  credits: number;
  /** Empty unless `discover` was set. */
  discovered: string[];
}

/** Builds the document that the user receives. All kinds of scrapes use this function. */
export async function buildDocument(deps: DocumentDeps, input: DocumentInput): Promise<FinishedDocument> {
  const { request, fetched, discover, urgent, signal } = input;
  const { snapshot } = fetched;
  const { formats, onlyMainContent, includeTags, excludeTags, removeBase64Images } = request;
  const clean = { onlyMainContent, includeTags, excludeTags, removeBase64Images };
  const task = { snapshot, clean, formats, ...(discover && { discover }) };
  const rendered = await deps.renderer.render(task, { signal, urgent });
  const tracked = await trackChanges(deps.tracker, input, rendered);
  const media = await extractMedia(deps.media, input, rendered.media);
  const { changeTracking } = tracked;
  // The JSON that only a comparison needed is billed like the format `json`.
  const isJsonTracked = changeTracking !== undefined && rendered.trackedJson !== undefined;
  const made = [...rendered.made, ...(isJsonTracked ? ['json'] : []), ...Object.keys(media.fields)];
  const credits = priceOf(request, { ...fetched, made });
  const warnings = [
    ...(snapshot.warnings ?? []),
    ...rendered.warnings,
    ...tracked.warnings,
    ...media.warnings,
  ];
  const document = {
    ...rendered.fields,
    ...media.fields,
    ...(changeTracking && { changeTracking }),
    ...(snapshot.actions && { actions: snapshot.actions }),
    ...(warnings.length && { warning: warnings.join(' ') }),
    metadata: { ...rendered.metadata, ...scrapeMetadata(input, credits) },
  };
  const json = Buffer.from(JSON.stringify(document));
  return { json, credits, discovered: rendered.discovered ?? [] };
}

/** Creates the part of a document's metadata that describes the scrape rather than the page. */
function scrapeMetadata({ scrapeId, fetched, queuedMs }: DocumentInput, credits: number) {
  const { snapshot, cacheState } = fetched;
  const { statusCode } = snapshot;
  return {
    scrapeId,
    sourceURL: snapshot.sourceUrl,
    url: snapshot.url,
    statusCode,
    error: statusCode >= 400 ? (STATUS_CODES[statusCode] ?? 'HTTP error') : undefined,
    contentType: snapshot.contentType || undefined,
    // The public API calls the enhanced proxy `stealth` and any other `basic`.
    proxyUsed: snapshot.proxy === 'enhanced' ? 'stealth' : 'basic',
    cacheState,
    cachedAt: cacheState === 'hit' ? new Date(snapshot.fetchedAt).toISOString() : undefined,
    timezone: snapshot.timezone,
    challenge: snapshot.challenge?.maker,
    creditsUsed: credits,
    concurrencyLimited: queuedMs !== undefined,
    concurrencyQueueDurationMs: queuedMs,
  };
}

const NO_HISTORY =
  'changeTracking was left out, because with zero data retention or lockdown no earlier version of the page is kept.';

const PAGE_IS_PARTIAL =
  'changeTracking was left out, because the page was loaded only in part: the missing part would look removed. The next scrape is compared with the last complete one.';

const notThePage = (statusCode: number, isChallenge: boolean) =>
  `changeTracking was left out, because the target responded with ${isChallenge ? 'a challenge' : `HTTP ${statusCode}`} in place of the page. The next scrape is compared with the last one that got the page.`;

/**
 * Compares the page with its previous version if the request has the format `changeTracking`. The warnings
 * say why the comparison, or a part of it, was left out.
 */
async function trackChanges(
  tracker: ChangeTracker,
  { scrapeId, request, fetched: { snapshot }, history, signal, urgent, onFault }: DocumentInput,
  { fields, fingerprint, trackedJson: json }: Rendered,
): Promise<{ changeTracking?: ChangeTracking; warnings: string[] }> {
  const requested = request.formats.find((format) => format.type === 'changeTracking');
  if (!requested) return { warnings: [] };
  if (!history) return { warnings: [NO_HISTORY] };
  const { statusCode, fetchedAt, challenge } = snapshot;
  const isRemoved = isGone(statusCode);
  if (!isRemoved && (statusCode >= 400 || challenge))
    return { warnings: [notThePage(statusCode, statusCode < 400)] };
  if (snapshot.isPartial) return { warnings: [PAGE_IS_PARTIAL] };
  const { url } = request;
  const { tag, modes } = requested;
  const { markdown } = fields;
  const isPage = !isRemoved && typeof markdown === 'string' && fingerprint !== undefined;
  const current = isPage ? { markdown, json, fingerprint } : undefined;
  const page = { ...history, scrapeId, url, tag, modes, scrapedAt: fetchedAt, current };
  try {
    return await tracker.track(page, { signal, urgent });
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = toServiceError(translateDatabaseError(thrown));
    const isUnknown = code === 'UNKNOWN_ERROR';
    // An error that may pass is thrown, so that the activity is retried. After any other error, the page is
    // returned without the comparison.
    if (policyOf(code).retry === 'activity' && !isUnknown) throw thrown;
    if (isUnknown) onFault('change tracking failed', { scrapeId, error: String(thrown) });
    return { warnings: [`changeTracking was left out, because the comparison failed: ${message}`] };
  }
}
