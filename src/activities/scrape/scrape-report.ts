import type { FetchedPage } from '../../fetch/engines/fetch-page.ts';
import type { Fallback, PageTracer } from '../../fetch/engines/page-tracer.ts';
import type { Stage } from '../../schemas/page-trace.ts';

type ReportedStage = 'queue' | 'fetch' | 'convert' | 'store';

/** How a document was made. The history of its workflow shows it. */
export interface ScrapeReport {
  /** Key of the document. */
  blob: string;
  /** The source of the page. */
  engine: 'http' | 'browser' | 'upload' | 'cache';
  /** Only set if the enhanced proxy was used. */
  proxy?: 'enhanced';
  /** HTTP status of the page. */
  statusCode: number;
  /** Present if the page was a document: the type of the file, and its pages if it has any. */
  document?: { type: string; numPages?: number; totalPages?: number };
  /** Each change from one engine to another, with the reason. */
  fallbacks: Fallback[];
  /** Milliseconds that each stage took. */
  ms: Record<ReportedStage, number>;
}

/** The key of the document, in a report unless the job has zero data retention; absent without a document. */
export type ScrapeResult = string | ScrapeReport | undefined;

/** Under which of its stages a history counts a stage of the page. */
const REPORTED: Record<Stage, ReportedStage> = {
  queue: 'queue',
  robots: 'fetch',
  cache: 'fetch',
  fetch: 'fetch',
  document: 'fetch',
  render: 'convert',
  models: 'convert',
  formats: 'convert',
  store: 'store',
};

function reportedMs(tracer: PageTracer): ScrapeReport['ms'] {
  const ms = { queue: 0, fetch: 0, convert: 0, store: 0 };
  for (const stage of tracer.stages) ms[REPORTED[stage.stage]] += stage.ms;
  return ms;
}

/** Creates the report on how a document was made. */
export function reportOf(
  blob: string,
  { snapshot, cacheState }: FetchedPage,
  tracer: PageTracer,
): ScrapeReport {
  const { engine, proxy, statusCode } = snapshot;
  const isCopy = cacheState === 'hit';
  const { type, numPages, totalPages } = snapshot.document ?? {};
  return {
    blob,
    engine: isCopy ? 'cache' : engine,
    ...(proxy === 'enhanced' && !isCopy && { proxy }),
    ...(type && {
      document: {
        type,
        ...(numPages !== undefined && { numPages }),
        ...(totalPages !== undefined && { totalPages }),
      },
    }),
    statusCode,
    fallbacks: tracer.fallbacks,
    ms: reportedMs(tracer),
  };
}
