import { STATUS_CODES } from 'node:http';
import { escapeOtherReferences } from '../blobs/file-urls.ts';
import type { ChangeTracker, ChangeTracking, TrackedPage } from '../change-history/change-tracker.ts';
import { priceOf } from '../credits.ts';
import { translateDatabaseError } from '../db/client.ts';
import type { FetchedPage } from '../engines/index.ts';
import { policyOf, toServiceError } from '../errors.ts';
import type { Finished, FinishRequests, FinishServices } from '../formats/format.ts';
import { recordsOf } from '../formats/index.ts';
import type { PageMedia } from '../html/media/page-media.ts';
import type { MediaExtractor } from '../media/extractor.ts';
import type { MediaKind } from '../media-kind.ts';
import { isGone } from '../net/response-status.ts';
import type { Rendered } from '../rendering/render.ts';
import type { RenderPool } from '../rendering/render-pool.ts';
import { pageResultsOf } from '../schemas/parsers.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';

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
  const pageResults = pageResultsOf(request.parsers);
  const task = {
    snapshot,
    clean,
    formats,
    ...(pageResults && { pageResults }),
    ...(discover && { discover }),
  };
  const rendered = await deps.renderer.render(task, { signal, urgent });
  const finished = await finishFormats(deps, input, rendered);
  const fields = { ...rendered.fields, ...finished.fields };
  const credits = priceOf(request, { ...fetched, made: [...rendered.made, ...finished.made] });
  const warnings = [...(snapshot.warnings ?? []), ...rendered.warnings, ...finished.warnings];
  const document = {
    ...fields,
    ...(snapshot.actions && { actions: snapshot.actions }),
    ...(warnings.length && { warning: warnings.join(' ') }),
    metadata: { ...rendered.metadata, ...scrapeMetadata(input, credits) },
  };
  const { screenshots = [], pdfs = [] } = snapshot.actions ?? {};
  const files = [...Object.values(snapshot.files), ...screenshots, ...pdfs, ...finished.files];
  const json = Buffer.from(escapeOtherReferences(JSON.stringify(document), files));
  return { json, credits, discovered: rendered.discovered ?? [] };
}

/** Finishes the formats whose results need more than the page. */
async function finishFormats(
  deps: DocumentDeps,
  input: DocumentInput,
  rendered: Rendered,
): Promise<Required<Finished>> {
  const { request, fetched, history, isCrawled = false, urgent, signal } = input;
  const { snapshot } = fetched;
  const page = {
    snapshot,
    fields: rendered.fields,
    isGone: isGone(snapshot.statusCode),
    lockdown: request.lockdown,
    isCrawled,
    isRecordable: history !== undefined,
    signal,
    services: {
      trackChanges: (version: TrackedVersion) => trackChanges(deps.tracker, input, version),
      extractMedia: (kinds: MediaKind[], media: PageMedia) =>
        deps.media.make({ kinds, page: snapshot, media, request, signal, urgent }),
    },
  };
  const steps = Map.groupBy(recordsOf(request.formats), ({ format }) => format.finish);
  const all: Required<Finished> = { fields: {}, files: [], made: [], warnings: [] };
  for (const [finish, records] of steps) {
    if (!finish) continue;
    const requests = records.map(({ request: format }) => ({
      request: format,
      prepared: rendered.prepared[format.type],
    }));
    // A group has at least one member.
    const {
      fields,
      files = [],
      made,
      warnings,
    } = await finish(requests as FinishRequests<{ type: string }>, page);
    Object.assign(all.fields, fields);
    all.files.push(...files);
    all.made.push(...made);
    all.warnings.push(...warnings);
  }
  return all;
}

type TrackedVersion = Parameters<FinishServices['trackChanges']>[0];

/** Creates the part of a document's metadata that describes the scrape rather than the page. */
function scrapeMetadata({ scrapeId, request, fetched, queuedMs }: DocumentInput, credits: number) {
  const { snapshot, cacheState } = fetched;
  const { statusCode } = snapshot;
  return {
    scrapeId,
    sourceFile: request.upload?.name,
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
    numPages: snapshot.document?.numPages,
    totalPages: snapshot.document?.totalPages,
    challenge: snapshot.challenge?.maker,
    creditsUsed: credits,
    concurrencyLimited: queuedMs !== undefined,
    concurrencyQueueDurationMs: queuedMs,
  };
}

/**
 * Compares the page with its previous version and records it. A temporary error is thrown, so that the
 * activity is retried. After any other error, the page is returned without the comparison.
 */
async function trackChanges(
  tracker: ChangeTracker,
  { scrapeId, request: { url }, fetched, history, signal, urgent, onFault }: DocumentInput,
  version: TrackedVersion,
): Promise<{ changeTracking?: ChangeTracking; warnings: string[] }> {
  if (!history) return { warnings: [] };
  const { tag, modes, current } = version;
  const scrapedAt = fetched.snapshot.fetchedAt;
  try {
    return await tracker.track(
      { ...history, scrapeId, url, tag, modes, scrapedAt, current },
      { signal, urgent },
    );
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = toServiceError(translateDatabaseError(thrown));
    const isUnknown = code === 'UNKNOWN_ERROR';
    if (policyOf(code).retry === 'activity' && !isUnknown) throw thrown;
    if (isUnknown) onFault('change tracking failed', { scrapeId, error: String(thrown) });
    return { warnings: [`changeTracking was left out, because the comparison failed: ${message}`] };
  }
}
