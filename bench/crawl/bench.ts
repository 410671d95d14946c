import { once } from 'node:events';
import type { Options } from './options.ts';
import { startSiteProcess } from './programs.ts';
import { crawlRequest } from './request.ts';
import { type JobPath, type MeasuredService, startJob, startMeasuredService } from './service.ts';
import { type Moment, watchJob } from './watch.ts';

/** Pages that are crawled to warm up before each measurement. */
const WARM_UP = 200;

/** The parts that all measurements share. */
export interface Bench {
  options: Options;
  service: MeasuredService;
  /** URL of a small site for warming up. */
  warmUpUrl: string;
}

/**
 * Starts the service, warms it up with a small crawl, and runs `work`.
 * @param interrupt aborts it, and its reason is thrown
 */
export async function withBench(
  options: Options,
  interrupt: AbortSignal,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  const warmUp = await startSiteProcess(WARM_UP);
  const service = await startMeasuredService();
  const interrupted = once(interrupt, 'abort').then(() => interrupt.throwIfAborted());
  try {
    interrupt.throwIfAborted();
    const bench = { options, service, warmUpUrl: warmUp.url };
    const warmed = watchCrawl(bench, { siteUrl: warmUp.url, pages: WARM_UP });
    await Promise.race([warmed.then(() => work(bench)), interrupted]);
  } finally {
    await service.instance.stop();
    warmUp.stop();
  }
}

/** Starts a crawl of a site through the API, as the first team. */
export function startCrawl(
  { options: { graph, maxConcurrency }, service }: Bench,
  site: { siteUrl: string; pages: number },
): Promise<JobPath> {
  const body = {
    ...crawlRequest({ ...site, graph }),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  };
  return startJob(service.instance, '/v2/crawl', body);
}

/** Starts a crawl as {@link startCrawl} does and watches it as {@link watchJob} does. */
export function watchCrawl(
  bench: Bench,
  site: { siteUrl: string; pages: number },
  onMoment?: (moments: Moment[]) => void,
) {
  const { instance, roots } = bench.service;
  return watchJob(instance, roots, { start: () => startCrawl(bench, site), onMoment });
}
