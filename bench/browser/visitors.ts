import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setInterval } from 'node:timers';
import { byRole, sampleProcesses } from '../processes.ts';

/** What a visitor is to do. */
export interface VisitorTask {
  siteUrl: string;
  pages: number;
  atOnce: number;
}

/** What it took, Chromium's processes included. */
export interface VisitorFigures {
  perSecond: number;
  cpuMs: number;
  peakMb: number;
}

const WARM_UP_PAGES = 12;
const SAMPLED_EVERY_MS = 500;

/** Lets a visitor in a process of its own open the pages, after a few for warming up. @throws Error where one was wrong */
export async function measureVisitor(name: string, task: VisitorTask): Promise<VisitorFigures> {
  const child = fork(new URL('./visitor.ts', import.meta.url), [name, JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
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
  const totalMs: number = await told();
  clearInterval(sampler);
  const cpuMs = (sum('cpuMs') - cpuBefore) / task.pages;
  failed.catch(() => undefined);
  child.send('end');
  await once(child, 'exit');
  return { perSecond: (task.pages / totalMs) * 1000, cpuMs, peakMb };
}

/** What a visitor's main module does: opens some pages, waits for its word, opens all on the clock, and tells. */
export async function serveVisitor(task: VisitorTask, open: (url: string) => Promise<string>): Promise<void> {
  const { appTruth } = await import('../site/app.ts');
  const visitAll = async (count: number) => {
    let next = 0;
    const lane = async () => {
      while (next < count) {
        const n = next++;
        const html = await open(`${task.siteUrl}/app/${n}`);
        if (!html.includes(appTruth(n).firstSentence)) throw new Error(`/app/${n} came without its text`);
      }
    };
    await Promise.all(Array.from({ length: task.atOnce }, lane));
  };
  await visitAll(WARM_UP_PAGES);
  process.send!('ready');
  await once(process, 'message');
  const start = performance.now();
  await visitAll(task.pages);
  process.send!(performance.now() - start);
  await once(process, 'message');
}
