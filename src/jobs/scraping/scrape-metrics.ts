import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { PageTrace, Stage } from '../../schemas/page-trace.ts';

/** The metrics of the pages that a process scrapes. */
export type ScrapeMetrics = ReturnType<typeof createScrapeMetrics>;

/** How a page ended: `retry` and `unstarted` pages begin again later. */
export type PageOutcome = 'completed' | 'failed' | 'dropped' | 'retry' | 'unstarted';

/** The stages of a page as metrics name them: fewer than those of its record, and all with processor time of ours. */
const STAGES: Record<Stage, 'wait' | 'cache' | 'fetch' | 'document' | 'render' | 'model' | 'store'> = {
  queue: 'wait',
  robots: 'wait',
  cache: 'cache',
  fetch: 'fetch',
  document: 'document',
  render: 'render',
  models: 'model',
  formats: 'render',
  store: 'store',
};

/** The engine that read a page last; `none` if none was tried. */
export const engineOf = ({ attempts }: PageTrace): string => attempts.at(-1)?.engine.split(' ')[0] ?? 'none';

/**
 * Creates the metrics of the pages that this process scrapes.
 * @param onPage called with each page that is observed, and its team
 */
export function createScrapeMetrics(
  registry: Registry,
  onPage: (teamId: string, trace: PageTrace, outcome: PageOutcome) => void = () => undefined,
) {
  const registers = [registry];
  const pages = new Counter({
    name: 'winnow_pages_total',
    help: 'Pages of scrapes, batches and crawls, by the engine that read them last and their outcome',
    labelNames: ['engine', 'outcome'],
    registers,
  });
  const stageSeconds = new Histogram({
    name: 'winnow_page_stage_seconds',
    help: 'Time that pages spend in each stage',
    labelNames: ['stage'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300],
    registers,
  });
  const waitSeconds = new Counter({
    name: 'winnow_page_wait_seconds_total',
    help: 'Time that pages have waited, by what for; waits for a browser or a parser are part of a stage',
    labelNames: ['for'],
    registers,
  });
  const cache = new Counter({
    name: 'winnow_page_cache_total',
    help: 'Look-ups of pages in the cache, by verdict',
    labelNames: ['verdict'],
    registers,
  });
  return {
    secondOpinions: new Counter({
      name: 'winnow_second_opinions_total',
      help: 'Pages of which `onlyMainContent` had dropped most of the running text, so that it was brought back',
      registers,
    }),
    /** Pages of batches and crawls that are under way, and the page workers that have them. */
    open: new Gauge({
      name: 'winnow_pages_open',
      help: 'Pages of batches and crawls that this worker is scraping',
      registers,
    }),
    pageWorkers: new Gauge({
      name: 'winnow_page_workers',
      help: 'Page workers of batches and crawls that run in this worker',
      registers,
    }),
    /** Time to store the results of pages. */
    stageSeconds,
    /**
     * Counts a page that has ended, or begins again later.
     * @param page.stages its stages, with the one in which its result is stored
     */
    observePage(trace: PageTrace, { teamId, outcome, stages }: EndedPage): void {
      const { waits = [], cache: found } = trace;
      pages.inc({ engine: engineOf(trace), outcome });
      onPage(teamId, trace, outcome);
      for (const { stage, ms } of stages) stageSeconds.observe({ stage: STAGES[stage] }, ms / 1000);
      for (const wait of waits) waitSeconds.inc({ for: wait.for }, wait.ms / 1000);
      if (found) cache.inc({ verdict: found.verdict });
    },
  };
}

interface EndedPage {
  teamId: string;
  outcome: PageOutcome;
  stages: NonNullable<PageTrace['stages']>;
}
