import { short } from '../figures.ts';
import { type Bench, watchCrawl } from './bench.ts';
import { type CrawlerFigures, crawlWith, figuresOf } from './crawlers.ts';
import { type Expiry, measureExpiry } from './expiry.ts';
import { type History, readHistory } from './history.ts';
import { type CrawlerOutcome, withSite } from './programs.ts';
import { type Results, readResults } from './results.ts';
import { sumLedger } from './service.ts';
import { listTenths } from './tenths.ts';
import { cpuPerPage, type Moment, sumOf } from './watch.ts';

/** The figures of a crawl of one size and of the pipeline. */
export interface SizeFigures {
  pages: number;
  perSecond: number;
  /** CPU milliseconds per page, by role. */
  cpuMs: Record<string, number>;
  /** The figures of the pipeline by its concurrency. */
  pipeline: Record<string, CrawlerFigures>;
  moments: Moment[];
  history: History;
  results: Results;
  /** Credits that were added to the ledger. */
  ledger: number;
  /** Whether every result is there once, is correct and was billed once. */
  isRight: boolean;
  /** Only with `--expire`. */
  expiry: Expiry | undefined;
}

const PIPELINE = new URL('./pipeline.ts', import.meta.url);
const AT_ONCE = ['8', '16'];

/**
 * Crawls a site with this number of pages. The pipeline runs before and after, because the machine's speed
 * drifts.
 */
export async function measureSize(bench: Bench, pages: number): Promise<SizeFigures> {
  const { graph, pipelinePages, expires } = bench.options;
  const { instance, temporalAddress } = bench.service;
  const runs: Record<string, CrawlerOutcome[]> = {};
  const runPipelines = async () => {
    for (const setting of AT_ONCE) {
      const task = { graph, setting, pages: Math.min(pages, pipelinePages), warmUpUrl: bench.warmUpUrl };
      runs[setting] = [...(runs[setting] ?? []), await crawlWith(PIPELINE, task)];
    }
  };
  await runPipelines();
  const ledgerBefore = await sumLedger(instance);
  const { path, head, moments } = await withSite(pages, ({ url }) =>
    watchCrawl(bench, { siteUrl: url, pages }, progressOf(pages)),
  );
  await runPipelines();
  const ledger = (await sumLedger(instance)) - ledgerBefore;
  const results = await readResults(instance, path, graph);
  const history = await readHistory(temporalAddress, path.replace(/^\/v2\//, ''));
  const expiry = expires ? await measureExpiry(bench, path) : undefined;
  const { documents, distinct, wrong } = results;
  const counts = [head.completed, head.total, head.creditsUsed, ledger, documents, distinct];
  return {
    pages,
    moments,
    history,
    results,
    ledger,
    expiry,
    perSecond: pages / head.duration!,
    cpuMs: cpuPerPage(moments[0]!, moments.at(-1)!, pages),
    pipeline: Object.fromEntries(Object.entries(runs).map(([setting, each]) => [setting, figuresOf(each)])),
    isRight: head.status === 'completed' && wrong === 0 && counts.every((count) => count === pages),
  };
}

/** Returns a function that prints a line to standard error whenever another tenth of a crawl is done. */
function progressOf(pages: number): (moments: Moment[]) => void {
  let printed = 0;
  return (moments) => {
    const tenths = listTenths(moments, pages);
    for (const { completed, perSecond, cpuMs, pssMb } of tenths.slice(printed)) {
      const memory = Object.entries(pssMb).map(([role, mb]) => `${role} ${short(mb)} MB`);
      console.error(
        `${completed} of ${pages} pages: ${short(perSecond)} per second, ${short(sumOf(cpuMs))} CPU-ms a page, ${memory.join(', ')}`,
      );
    }
    printed = tenths.length;
  };
}
