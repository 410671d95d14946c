import type { EngineTrace, Fallback } from '../../fetch/engines/engine-trace.ts';
import type { FetchedPage } from '../../fetch/engines/fetch-page.ts';

type Stage = 'queue' | 'fetch' | 'convert' | 'store';

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
  ms: Record<Stage, number>;
}

/** The key of the document, in a report unless the job has zero data retention; absent without a document. */
export type ScrapeResult = string | ScrapeReport | undefined;

/** Measures stages that follow each other. */
export function startStages() {
  const ms: Record<Stage, number> = { queue: 0, fetch: 0, convert: 0, store: 0 };
  let startedAt = performance.now();
  return {
    ms,
    /** Ends a stage; the next one begins at once. */
    end(stage: Stage): void {
      const now = performance.now();
      ms[stage] = Math.round(now - startedAt);
      startedAt = now;
    },
  };
}

/** Creates the report on how a document was made. */
export function reportOf(
  blob: string,
  { snapshot, cacheState }: FetchedPage,
  { trace, ms }: { trace: EngineTrace; ms: ScrapeReport['ms'] },
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
    fallbacks: trace.fallbacks,
    ms,
  };
}
