import { type CrawlerOutcome, type CrawlerTask, runCrawler, withSite } from './programs.ts';

/** The figures of a crawler over all its runs. */
export interface CrawlerFigures {
  perSecond: number;
  /** CPU milliseconds per page. */
  cpuMs: number;
  /** Highest resident memory of any run, in MB. */
  peakMb: number;
}

export function figuresOf(runs: CrawlerOutcome[]): CrawlerFigures {
  const sum = (pick: (run: CrawlerOutcome) => number) => runs.reduce((total, run) => total + pick(run), 0);
  const pages = sum((run) => run.pages);
  return {
    perSecond: (pages / sum(({ totalMs }) => totalMs)) * 1000,
    cpuMs: sum(({ cpuMs }) => cpuMs) / pages,
    peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
  };
}

/** Runs a crawler on a site of its own. @throws Error if it missed pages */
export async function crawlWith(
  program: URL,
  task: Omit<CrawlerTask, 'siteUrl'>,
  env?: Record<string, string>,
): Promise<CrawlerOutcome> {
  const outcome = await withSite(task.pages, ({ url }) =>
    runCrawler(program, { ...task, siteUrl: url }, env),
  );
  if (outcome.pages === task.pages) return outcome;
  throw new Error(`${program.pathname} (${task.setting}) crawled ${outcome.pages} of ${task.pages} pages`);
}
