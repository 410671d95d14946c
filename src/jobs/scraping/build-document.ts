import { STATUS_CODES } from 'node:http';
import type { Finished, FinishRequests, FinishServices } from '../../content/formats/format.ts';
import { recordsOf } from '../../content/formats/index.ts';
import type { PageMedia } from '../../content/html/media/page-media.ts';
import type { PageEntry } from '../../content/indexing/page-entry.ts';
import type { MediaKind } from '../../content/media-kind.ts';
import { type Redaction, redactionOf } from '../../content/redaction/redaction.ts';
import type { Rendered, RenderTask } from '../../content/rendering/render.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import { creditsByRule, sumOfCredits } from '../../credits.ts';
import { toServiceError } from '../../errors.ts';
import type { FetchedPage } from '../../fetch/engines/fetch-page.ts';
import type { PageTracer } from '../../fetch/engines/page-tracer.ts';
import type { MediaExtractor } from '../../fetch/media/extractor.ts';
import { isGone } from '../../fetch/net/response-status.ts';
import type { Models } from '../../models/index.ts';
import { pageResultsOf } from '../../schemas/parsers.ts';
import type { JsonName, ScrapeRequest } from '../../schemas/scrape.ts';
import { escapeOtherReferences } from '../../storage/blobs/file-urls.ts';
import type { ChangeTracker, ChangeTracking, TrackedPage } from '../change-history/change-tracker.ts';
import { cleanMarkdown } from './clean-markdown.ts';
import type { Deadline } from './deadline.ts';
import { isIndexable } from './is-indexable.ts';
import { type Answers, PageModel } from './page-model.ts';
import { redactionOfPage } from './page-redaction.ts';
import { warnOfRequest } from './request-warnings.ts';
import type { ScrapeMetrics } from './scrape-metrics.ts';

/** Dependencies for making documents. */
export interface DocumentDeps {
  renderer: RenderPool;
  tracker: ChangeTracker;
  media: MediaExtractor;
  /** Whether pages are indexed for `POST /v2/search`. */
  indexesPages: boolean;
  /** Absent if the operator has configured no language model. */
  models: Models | undefined;
  metrics: ScrapeMetrics;
}

/** The page that a document is made from, and the options for making it. */
export interface DocumentInput {
  /** The page's `metadata.scrapeId`. */
  scrapeId: string;
  request: ScrapeRequest;
  fetched: FetchedPage;
  /** Milliseconds that the page waited for its turn; `undefined` if it did not have to wait. */
  queuedMs: number | undefined;
  teamId: string;
  jobId: string;
  /** The page's place in the history of its team; absent if nothing of the page may be kept. */
  history: Pick<TrackedPage, 'crawlStart' | 'hidden'> | undefined;
  /** Whether to extract the links of the page as well. */
  discover?: boolean;
  /** Whether the page belongs to a crawl. Media that it lacks are then a warning instead of an error. */
  isCrawled?: boolean;
  /** Whether a user is waiting for the page. It is then processed before the pages of batches and crawls. */
  urgent: boolean;
  /** The time limit of the page. */
  deadline: Pick<Deadline, 'signal' | 'remainingMs'>;
  /** Records how the page goes. */
  tracer: PageTracer;
  /** Logs an unexpected error that the document does not fail with. */
  onFault(message: string, attributes: Record<string, unknown>): void;
}

/** A scraped page as it is stored, with its price in credits and the URLs that it links to. */
export interface FinishedDocument {
  json: Buffer;
  credits: number;
  /** Empty unless `discover` was set. */
  discovered: string[];
  /** The entry of the page for the index of its team; absent if the page is not indexed. */
  entry?: PageEntry | undefined;
}

/** Builds the document that the user receives. All kinds of scrapes use this function. */
export async function buildDocument(deps: DocumentDeps, input: DocumentInput): Promise<FinishedDocument> {
  const { request, fetched, tracer } = input;
  const { snapshot } = fetched;
  tracer.begin('render');
  using model = deps.models && new PageModel(deps.models, input, deps.renderer);
  const redacted = await redactionOfPage(request, {
    snapshot,
    model,
    render: (task) => render(deps, input, { snapshot, ...task }),
  });
  const rendered = await renderPage(deps, input, redacted?.redaction);
  if (rendered.isDisputed) deps.metrics.secondOpinions.inc();
  if (model) tracer.begin('models');
  const [answers, cleaned] = await Promise.all([
    model ? model.answer(rendered.questions) : NO_ANSWERS,
    cleanedFields(rendered.fields, input, model),
  ]);
  tracer.begin('formats');
  // The history of a page has its whole markdown, because what a model removes differs from time to time.
  const fieldsSoFar = { ...rendered.fields, ...answers.fields };
  const finished = await finishFormats(deps, input, { ...rendered, fields: fieldsSoFar, model });
  const parts = [rendered, answers, cleaned, finished];
  const fields = nameJson(Object.assign({}, ...parts.map((part) => part.fields)), request.jsonNames);
  const rules = creditsByRule(request, { ...fetched, made: parts.flatMap(({ made }) => made) });
  const credits = sumOfCredits(rules);
  const warnings = [
    ...warnOfRequest(request),
    ...(snapshot.warnings ?? []),
    ...(redacted?.warnings ?? []),
    ...parts.flatMap((part) => part.warnings),
  ];
  const document = {
    ...fields,
    ...(rendered.actions && { actions: rendered.actions }),
    ...(warnings.length && { warning: [...new Set(warnings)].join(' ') }),
    metadata: {
      ...rendered.metadata,
      ...scrapeMetadata(input, credits),
      contentShare: rendered.contentShare,
    },
  };
  const { screenshots = [], pdfs = [] } = snapshot.actions ?? {};
  const files = [...Object.values(snapshot.files), ...screenshots, ...pdfs, ...finished.files];
  const json = Buffer.from(escapeOtherReferences(JSON.stringify(document), files));
  tracer.setDelivery({
    statusCode: snapshot.engine === 'upload' ? undefined : snapshot.statusCode,
    documentBytes: json.length,
    credits: rules,
  });
  return { json, credits, discovered: rendered.discovered ?? [], entry: rendered.entry };
}

/** Gives the data of the format `json` the names that the request has for it. */
function nameJson(
  fields: Record<string, unknown>,
  names: readonly JsonName[] | undefined,
): Record<string, unknown> {
  const { json, ...others } = fields;
  if (!names || json === undefined) return fields;
  return Object.assign(others, ...names.map((name) => ({ [name]: json })));
}

const NO_ANSWERS: Answers = { fields: {}, made: [], warnings: [] };

/** Derives the formats from the page, in a rendering thread. */
function renderPage(
  deps: DocumentDeps,
  input: DocumentInput,
  redaction: Redaction | undefined,
): Promise<Rendered> {
  const { models, indexesPages } = deps;
  const { request, fetched, history, discover } = input;
  const { formats, onlyMainContent, includeTags, excludeTags, removeBase64Images } = request;
  const { snapshot } = fetched;
  const pageResults = pageResultsOf(request.parsers);
  const task = {
    snapshot,
    formats,
    hasModel: models !== undefined,
    ...(models && { promptTokens: models.promptTokens }),
    clean: { onlyMainContent, includeTags, excludeTags, removeBase64Images },
    ...(redaction && { redaction }),
    ...(pageResults && { pageResults }),
    ...(discover && { discover }),
    index: indexesPages && history !== undefined && isIndexable(request, snapshot),
  };
  return render(deps, input, task);
}

/** Has a task done in a rendering thread. */
const render = (
  { renderer }: DocumentDeps,
  { teamId, deadline, urgent }: DocumentInput,
  task: RenderTask,
): Promise<Rendered> => renderer.render(task, { owner: teamId, signal: deadline.signal, urgent });

/** Applies `onlyCleanContent` to the markdown, if both were requested. */
async function cleanedFields(
  { markdown }: Record<string, unknown>,
  { request: { onlyCleanContent, lockdown }, fetched }: DocumentInput,
  model: PageModel | undefined,
): Promise<Answers> {
  if (!onlyCleanContent || typeof markdown !== 'string') return NO_ANSWERS;
  const { url } = fetched.snapshot;
  const cleaned = await cleanMarkdown(markdown, { url, model, lockdown });
  return { fields: { markdown: cleaned.markdown }, made: [], warnings: cleaned.warnings };
}

/** Finishes the formats whose results need more than the page. */
async function finishFormats(
  deps: DocumentDeps,
  input: DocumentInput,
  { model, ...rendered }: Rendered & { model: PageModel | undefined },
): Promise<Required<Finished>> {
  const { request, fetched, history, isCrawled = false, urgent } = input;
  const { signal } = input.deadline;
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
        deps.media.make({ kinds, page: snapshot, media, request, owner: input.teamId, signal, urgent }),
      ...(model && { askModel: model.ask }),
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
  { scrapeId, teamId, jobId, request, fetched, history, deadline, urgent, onFault }: DocumentInput,
  version: TrackedVersion,
): Promise<{ changeTracking?: ChangeTracking; warnings: string[] }> {
  if (!history) return { warnings: [] };
  const { tag, modes, current } = version;
  const { url } = request;
  const redaction = redactionOf(request.redactPII);
  const { signal } = deadline;
  const scrapedAt = fetched.snapshot.fetchedAt;
  try {
    return await tracker.track(
      { ...history, teamId, jobId, scrapeId, url, tag, redaction, modes, scrapedAt, current },
      { signal, urgent },
    );
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message, isRetryable } = toServiceError(thrown);
    const isUnknown = code === 'UNKNOWN_ERROR';
    if (isRetryable && !isUnknown) throw thrown;
    if (isUnknown) onFault('change tracking failed', { scrapeId, error: String(thrown) });
    return { warnings: [`changeTracking was left out, because the comparison failed: ${message}`] };
  }
}
