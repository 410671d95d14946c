import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setInterval } from 'node:timers';
import { measure, percentile } from '../figures.ts';
import { byRole, sampleProcesses } from '../processes.ts';

/** The task of a visitor, sent to its process. */
export interface VisitorTask {
  siteUrl: string;
  pages: number;
  atOnce: number;
}

/** The cost of a visitor, including the processes of Chromium. */
export interface VisitorFigures {
  perSecond: number;
  cpuMs: number;
  peakMb: number;
  /** Milliseconds from one page to the next, at p50: the time of a page if one is open at once. */
  apartMs: number;
}

/** The report of the process of a visitor. */
type VisitorReport = Pick<VisitorFigures, 'apartMs'> & { totalMs: number };

/** The programs that open pages, by the name of the visitor. */
export const VISITORS: Record<string, URL> = {
  engine: new URL('./visitor.ts', import.meta.url),
  'engine-job': new URL('./visitor.ts', import.meta.url),
  'playwright-told': new URL('./visitor.ts', import.meta.url),
  'playwright-networkidle': new URL('./visitor.ts', import.meta.url),
  'playwright-told-unsandboxed': new URL('./visitor.ts', import.meta.url),
  'crawlee-contexts': new URL('../peers/crawlee-playwright.ts', import.meta.url),
  'crawlee-contexts-plain': new URL('../peers/crawlee-playwright.ts', import.meta.url),
  'crawlee-one-context': new URL('../peers/crawlee-playwright.ts', import.meta.url),
};

const WARM_UP_PAGES = 12;
const SAMPLED_EVERY_MS = 500;

/**
 * Runs a visitor in a process of its own, after a few pages for warming up. The CPU time includes renderers
 * that have ended, because Chromium's zygote waits for them and their time becomes part of its own. It would
 * not include a browser that ended.
 * @throws Error if a page was wrong
 */
export async function measureVisitor(name: string, task: VisitorTask): Promise<VisitorFigures> {
  const child = fork(VISITORS[name]!, [name, JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, CRAWLEE_LOG_LEVEL: 'ERROR' },
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the visitor ${name} ended with ${code}`);
  });
  const told = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  const sum = (figure: 'cpuMs' | 'pssMb') =>
    Object.values(byRole(sampleProcesses({ visitor: child.pid! }), figure)).reduce(
      (all, one) => all + one,
      0,
    );
  await told();
  const cpuBefore = sum('cpuMs');
  let peakMb = 0;
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, sum('pssMb'));
  }, SAMPLED_EVERY_MS);
  child.send('go');
  const { totalMs, apartMs }: VisitorReport = await told();
  clearInterval(sampler);
  const cpuMs = (sum('cpuMs') - cpuBefore) / task.pages;
  failed.catch(() => undefined);
  child.send('end');
  await once(child, 'exit');
  return { perSecond: (task.pages / totalMs) * 1000, cpuMs, peakMb, apartMs };
}

/** Opens all URLs and passes each rendered page to `check`, which throws if the expected text is missing. */
export type VisitAll = (urls: string[], check: (url: string, html: string) => void) => Promise<unknown>;

/** Opens several URLs at once, each by a separate call. */
export function inLanes(atOnce: number, open: (url: string) => Promise<string>): VisitAll {
  return (urls, check) =>
    measure(urls.length, atOnce, async (index) => check(urls[index]!, await open(urls[index]!)));
}

/**
 * The main function of a visitor's process: opens some pages to warm up, waits for the start message, opens
 * all pages under measurement, and reports the result to its parent.
 */
export async function serveVisitor(task: VisitorTask, visitAll: VisitAll): Promise<void> {
  process.once('disconnect', () => process.exit(1));
  const { appTruth } = await import('../../test/site/app.ts');
  const urls = (pages: number, round: string) =>
    Array.from({ length: pages }, (_, n) => `${task.siteUrl}/app/${n}?${round}`);
  const times: number[] = [];
  const check = (url: string, html: string) => {
    times.push(performance.now());
    const { pathname } = new URL(url);
    const n = Number(pathname.split('/').at(-1));
    if (!html.includes(appTruth(n).firstSentence)) throw new Error(`${pathname} came without its text`);
  };
  await visitAll(urls(WARM_UP_PAGES, 'warmUp'), check);
  process.send!('ready');
  await once(process, 'message');
  const start = performance.now();
  times.splice(0, times.length, start);
  await visitAll(urls(task.pages, 'measured'), check);
  const apartMs = percentile(
    times.slice(1).map((time, index) => time - times[index]!),
    0.5,
  );
  process.send!({ totalMs: performance.now() - start, apartMs } satisfies VisitorReport);
  await once(process, 'message');
}
