import { STATUS_CODES } from 'node:http';
import type { ChangeTracker, ChangeTracking, TrackedPage } from '../change-history/change-tracker.ts';
import { priceOf } from '../credits.ts';
import { translateDatabaseError } from '../db/client.ts';
import type { FetchedPage } from '../engines/index.ts';
import { policyOf, toServiceError } from '../errors.ts';
import type { MediaExtractor } from '../media/extractor.ts';
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

/** Makes the document that the user receives. All kinds of scrapes use this function. */
export async function buildDocument(deps: DocumentDeps, order: DocumentInput): Promise<FinishedDocument> {
  const { scrapeId, request, fetched, queuedMs, discover, urgent, signal } = order;
  const { snapshot, cacheState } = fetched;
  const { formats, onlyMainContent, includeTags, excludeTags, removeBase64Images } = request;
  const clean = { onlyMainContent, includeTags, excludeTags, removeBase64Images };
  const task = { snapshot, clean, formats, ...(discover && { discover }) };
  const rendered = await deps.renderer.render(task, { signal, urgent });
  const { fields, metadata, discovered = [] } = rendered;
  const { changeTracking, warnings: unseen } = await trackChanges(deps.tracker, order, rendered);
  const played = await extractMedia(deps.media, order, rendered.media);
  const isTracked = changeTracking !== undefined && rendered.trackedJson !== undefined;
  const made = [...rendered.made, ...(isTracked ? ['json'] : []), ...Object.keys(played.fields)];
  const credits = priceOf(request, { ...fetched, made });
  const warnings = [...(snapshot.warnings ?? []), ...rendered.warnings, ...unseen, ...played.warnings];
  const document = {
    ...fields,
    ...played.fields,
    ...(changeTracking && { changeTracking }),
    ...(snapshot.actions && { actions: snapshot.actions }),
    ...(warnings.length && { warning: warnings.join(' ') }),
    metadata: {
      ...metadata,
      scrapeId,
      sourceURL: snapshot.sourceUrl,
      url: snapshot.url,
      statusCode: snapshot.statusCode,
      error: snapshot.statusCode >= 400 ? (STATUS_CODES[snapshot.statusCode] ?? 'HTTP error') : undefined,
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
    },
  };
  return { json: Buffer.from(JSON.stringify(document)), credits, discovered };
}

/** Status codes by which a target says that the page does not exist. */
const GONE = new Set([404, 410]);

const NOTHING_KEPT =
  'changeTracking was left out: with zero data retention or lockdown there is nothing kept to compare with.';

const PARTIAL =
  'changeTracking was left out: what is not there of the page would count as gone. The next scrape is compared with the last one that brought it.';

/**
 * Compares the page with its previous version if the request has the format `changeTracking`. The warnings
 * say why the comparison, or a part of it, was left out.
 */
async function trackChanges(
  tracker: ChangeTracker,
  { scrapeId, request, fetched: { snapshot }, history, signal, urgent, onFault }: DocumentInput,
  { fields, fingerprint, trackedJson: json }: Rendered,
): Promise<{ changeTracking?: ChangeTracking; warnings: string[] }> {
  const asked = request.formats.find((format) => format.type === 'changeTracking');
  if (!asked) return { warnings: [] };
  if (!history) return { warnings: [NOTHING_KEPT] };
  const { statusCode, fetchedAt, challenge } = snapshot;
  const isGone = GONE.has(statusCode);
  if (!isGone && (statusCode >= 400 || challenge)) return { warnings: [notThePage(statusCode)] };
  if (snapshot.isPartial) return { warnings: [PARTIAL] };
  const { url } = request;
  const { tag, modes } = asked;
  const { markdown } = fields;
  const isPage = !isGone && typeof markdown === 'string' && fingerprint !== undefined;
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
    if (isUnknown) onFault('comparing failed', { scrapeId, error: String(thrown) });
    return { warnings: [`Comparing failed: ${message} changeTracking was left out.`] };
  }
}

const notThePage = (statusCode: number) =>
  `changeTracking was left out: the target answered ${statusCode}${statusCode < 400 ? ' with a challenge' : ''}, which says nothing of the page. The next scrape is compared with the last one that brought it.`;
