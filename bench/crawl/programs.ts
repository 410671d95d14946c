import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpuUsage, resourceUsage } from 'node:process';
import type { Graph } from './options.ts';

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill();
});

/** Ends with this process at the latest. */
function adopt(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/** The site in a process of its own, as a site is. */
export interface SiteProcess {
  url: string;
  pid: number;
  stop(): void;
}

/** @param pages size of its graphs */
export async function startSiteProcess(pages: number): Promise<SiteProcess> {
  const child = fork(new URL('../site.ts', import.meta.url), ['--pages', String(pages)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  adopt(child);
  const [line] = await once(child.stdout!, 'data');
  return { url: String(line).trim(), pid: child.pid!, stop: () => child.kill() };
}

/** Runs something with a site that only it knows, so that nothing comes from a cache. */
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

/** What a crawler in a process of its own is to do. */
export interface CrawlerTask {
  siteUrl: string;
  graph: Graph;
  /** All pages that the site has. */
  pages: number;
  /** Another site, of a few pages, to be crawled before the clocks start. */
  warmUpUrl: string;
  /** How the crawler is set up; it knows what that means. */
  setting: string;
}

/** What it did, but for the warm-up. */
export interface CrawlerOutcome {
  pages: number;
  totalMs: number;
  /** Of all its threads. */
  cpuMs: number;
  /** Most resident memory of the process. */
  peakMb: number;
  /** Of all pages, to be compared: who does the same work gets the same. */
  markdownBytes: number;
}

/** Runs a crawler as a process of its own. */
export async function runCrawler(
  program: URL,
  task: CrawlerTask,
  env: Record<string, string> = {},
): Promise<CrawlerOutcome> {
  const child = fork(program, [JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  adopt(child);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${program.pathname} ended with ${code} and said nothing`);
  });
  // What it says is made by serveCrawler.
  const [outcome]: CrawlerOutcome[] = await Promise.race([once(child, 'message'), ended]);
  child.kill();
  return outcome!;
}

/** What a crawler's main module does: crawls the small site, then the other one on the clock, and tells its parent. */
export async function serveCrawler(
  crawl: (siteUrl: string, task: CrawlerTask) => Promise<{ pages: number; markdownBytes: number }>,
): Promise<void> {
  // Its parent is runCrawler.
  const task = JSON.parse(process.argv[2]!) as CrawlerTask;
  await crawl(task.warmUpUrl, task);
  const cpuBefore = cpuUsage();
  const start = performance.now();
  const { pages, markdownBytes } = await crawl(task.siteUrl, task);
  const totalMs = performance.now() - start;
  const { user, system } = cpuUsage(cpuBefore);
  const outcome: CrawlerOutcome = {
    ...{ pages, markdownBytes, totalMs },
    cpuMs: (user + system) / 1000,
    peakMb: resourceUsage().maxRSS / 1024,
  };
  process.send!(outcome);
}
