import type { Fallback } from '../engines/engine-trace.ts';
import type { FetchedPage } from '../engines/index.ts';

type Stage = 'queue' | 'fetch' | 'convert' | 'store';

/** How a document was made, as the history of its scrape shows it. */
export interface ScrapeReport {
  /** The blob with the document. */
  blob: string;
  /** What gave the page. */
  engine: 'http' | 'browser' | 'cache';
  /** Absent where no special proxy was used. */
  proxy?: 'enhanced';
  /** HTTP status of the page. */
  statusCode: number;
  /** Engines that gave way to others, and why. */
  fallbacks: Fallback[];
  /** Milliseconds that each stage took. */
  ms: Record<Stage, number>;
}

/** A clock for stages that follow each other. */
export function startStages() {
  const ms: Record<Stage, number> = { queue: 0, fetch: 0, convert: 0, store: 0 };
  let startedAt = performance.now();
  return {
    ms,
    /** Ends a stage; the next one begins. */
    end(stage: Stage): void {
      const now = performance.now();
      ms[stage] = Math.round(now - startedAt);
      startedAt = now;
    },
  };
}

/** Sums up how a document was made. */
export function reportOf(
  blob: string,
  { snapshot, cacheState, fallbacks }: FetchedPage,
  ms: ScrapeReport['ms'],
): ScrapeReport {
  const { engine, proxy, statusCode } = snapshot;
  const isCopy = cacheState === 'hit';
  return {
    blob,
    engine: isCopy ? 'cache' : engine,
    ...(proxy === 'enhanced' && !isCopy && { proxy }),
    ...{ statusCode, fallbacks, ms },
  };
}
