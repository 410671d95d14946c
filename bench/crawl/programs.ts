import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpuUsage, resourceUsage } from 'node:process';
import type { Graph } from './options.ts';

/** The generated site in a process of its own. */
export interface SiteProcess {
  url: string;
  pid: number;
  stop(): void;
}

/**
 * Starts the generated site, which ends with this process.
 * @param pages number of pages in each of its graphs; other pages do not depend on it
 */
export async function startSiteProcess(pages = 1): Promise<SiteProcess> {
  const child = fork(new URL('../../test/site/site.ts', import.meta.url), ['--pages', String(pages)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(child.stdout!, 'data');
  return { url: String(line).trim(), pid: child.pid!, stop: () => child.kill() };
}

/** Runs `work` with a new site, so that no page comes from a cache. */
export async function withSite<Result>(
  pages: number,
  work: (site: SiteProcess) => Promise<Result>,
): Promise<Result> {
  const site = await startSiteProcess(pages);
  try {
    return await work(site);
  } finally {
    site.stop();
  }
}

/** The task of a crawler, sent to its process. */
export interface CrawlerTask {
  siteUrl: string;
  graph: Graph;
  /** Number of pages of the site. */
  pages: number;
  /** URL of a small site that is crawled before the measurement. */
  warmUpUrl: string;
  /** The setting of the crawler; each crawler has its own. */
  setting: string;
}

/** The result of a crawler, without its warm-up. */
export interface CrawlerOutcome {
  pages: number;
  totalMs: number;
  /** CPU milliseconds of all its threads. */
  cpuMs: number;
  /** Highest resident memory of the process, in MB. */
  peakMb: number;
  /** Total size of the markdown. Crawlers that do the same work get the same size. */
  markdownBytes: number;
}

/** Runs a crawler in a process of its own, which ends with this one. */
export async function runCrawler(
  program: URL,
  task: CrawlerTask,
  env: Record<string, string> = {},
): Promise<CrawlerOutcome> {
  const child = fork(program, [JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${program.pathname} ended with ${code} and said nothing`);
  });
  // serveCrawler sends the message.
  const [outcome]: CrawlerOutcome[] = await Promise.race([once(child, 'message'), ended]);
  child.kill();
  return outcome!;
}

/**
 * The main function of a crawler's process: crawls the small site, then the other one under measurement, and
 * reports to its parent.
 */
export async function serveCrawler(
  crawl: (siteUrl: string, task: CrawlerTask) => Promise<{ pages: number; markdownBytes: number }>,
): Promise<void> {
  // The benchmark has ended.
  process.once('disconnect', () => process.exit(1));
  // runCrawler passes this argument.
  const task = JSON.parse(process.argv[2]!) as CrawlerTask;
  await crawl(task.warmUpUrl, task);
  const cpuBefore = cpuUsage();
  const start = performance.now();
  const { pages, markdownBytes } = await crawl(task.siteUrl, task);
  const totalMs = performance.now() - start;
  const { user, system } = cpuUsage(cpuBefore);
  const outcome: CrawlerOutcome = {
    pages,
    markdownBytes,
    totalMs,
    cpuMs: (user + system) / 1000,
    peakMb: resourceUsage().maxRSS / 1024,
  };
  process.send!(outcome);
}
