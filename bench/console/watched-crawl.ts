import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { z } from 'zod';
import { withSite } from '../crawl/programs.ts';
import { crawlRequest } from '../crawl/request.ts';
import { ask, type MeasuredService, readHead, startJob } from '../crawl/service.ts';
import { percentile, short } from '../figures.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import { openConsole } from './open-console.ts';

/** More pages than are crawled in all turns. */
const PAGES = 100_000;
/** Time in which a crawl gets up to speed, and a console reads what it shows at first. */
const WARM_UP_MS = 10_000;
const SETTLE_MS = 2_000;

/** What the service did in one turn. */
interface Turn {
  pages: number;
  seconds: number;
  /** CPU milliseconds by role. */
  cpuMs: Record<string, number>;
}

/**
 * Measures the CPU time that the service takes for a page of a crawl, in turns with and without a console that shows the
 * crawl.
 */
export async function measureWatchedCrawl(
  browser: Browser,
  { instance, roots }: MeasuredService,
  { turns, seconds }: { turns: number; seconds: number },
) {
  return withSite(PAGES, async ({ url: siteUrl }) => {
    const request = crawlRequest({ siteUrl, graph: 'links', pages: PAGES });
    const path = await startJob(instance, '/v2/crawl', request);
    const view = `${instance.url}/console${path.replace('/v2/', '/jobs/')}`;
    const take = async (): Promise<Turn> => {
      const [before, startedAt] = [byRole(sampleProcesses(roots), 'cpuMs'), performance.now()];
      const { completed } = await readHead(instance, path);
      await sleep(seconds * 1000);
      const after = byRole(sampleProcesses(roots), 'cpuMs');
      const measured = (performance.now() - startedAt) / 1000;
      const pages = (await readHead(instance, path)).completed - completed;
      const cpuMs = Object.fromEntries(
        Object.entries(after).map(([role, ms]) => [role, ms - (before[role] ?? 0)]),
      );
      return { pages, seconds: measured, cpuMs };
    };
    await sleep(WARM_UP_MS);
    const watched: Turn[] = [];
    const alone: Turn[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const page = await openConsole(browser, instance);
      await page.goto(view);
      await page.getByRole('region', { name: 'Progress' }).getByText('Running').waitFor();
      await sleep(SETTLE_MS);
      watched.push(await take());
      await page.context().close();
      await sleep(SETTLE_MS);
      alone.push(await take());
    }
    await ask(instance, { path, method: 'DELETE', answer: z.object({ status: z.string() }) });
    const roles = [...new Set([...watched, ...alone].flatMap(({ cpuMs }) => Object.keys(cpuMs)))].sort();
    return [...roles.map((role) => compare(role, [role])), compare('sum', roles)];

    function compare(what: string, of: string[]) {
      const perPage = ({ pages, cpuMs }: Turn) =>
        of.reduce((sum, role) => sum + (cpuMs[role] ?? 0), 0) / pages;
      const without = percentile(alone.map(perPage), 0.5);
      const difference = percentile(
        watched.map((turn, index) => perPage(turn) - perPage(alone[index]!)),
        0.5,
      );
      const all = percentile(
        alone.map(({ pages, cpuMs }) => roles.reduce((sum, role) => sum + (cpuMs[role] ?? 0), 0) / pages),
        0.5,
      );
      return {
        'CPU-ms per page': what,
        load: short(loadavg()[0] ?? 0),
        'pages per second': short(
          percentile(
            watched.map((turn) => turn.pages / turn.seconds),
            0.5,
          ),
        ),
        'without a console': without.toFixed(3),
        'more with one': difference.toFixed(3),
        '% of the sum': ((100 * difference) / all).toFixed(2),
      };
    }
  });
}
