import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { withSite } from '../crawl/programs.ts';
import { ask, type MeasuredService, runBatch, startMeasuredService } from '../crawl/service.ts';
import { measure, short, table } from '../figures.ts';
import { cpuOf } from './monitored-service.ts';

const LOOK_MS = 100;
/** Rounds of which the figures are the means, after one for warming up. */
const ROUNDS = 3;
const SCRAPES_AT_ONCE = 2;
const PAGES_OF_SMALL_MONITOR = 1;
/** Checks of a monitor of one page are this many times fewer than pages of the large one. */
const FEWER = 5;

const created = z.object({ data: z.object({ id: z.string() }) });
const begun = z.object({ id: z.string() });
const checked = z.object({
  data: z.object({ status: z.string(), summary: z.object({ totalPages: z.int(), same: z.int() }) }),
});
const scraped = z.object({ success: z.literal(true) });

async function createMonitor({ instance }: MeasuredService, urls: string[]): Promise<string> {
  const targets = [{ type: 'scrape', urls }];
  const body = { name: 'Measured', schedule: { cron: '0 0 1 1 *' }, targets };
  return (await ask(instance, { path: '/v2/monitor', body, answer: created })).data.id;
}

/** Runs a check and waits for its end. @returns how many pages are the same as before */
async function check({ instance }: MeasuredService, id: string): Promise<number> {
  const { id: checkId } = await ask(instance, { path: `/v2/monitor/${id}/run`, body: {}, answer: begun });
  for (;;) {
    const path = `/v2/monitor/${id}/checks/${checkId}?limit=1`;
    const { status, summary } = (await ask(instance, { path, answer: checked })).data;
    if (status !== 'running') return summary.same;
    await sleep(LOOK_MS);
  }
}

/** Measures checks of pages that have not changed, and scrapes of the same pages in turn, and prints the figures. */
export async function measureUnchanged(pages: number): Promise<void> {
  await withSite(pages, async (site) => {
    const service = await startMeasuredService({ env: { WINNOW_REQUESTS_PER_HOST: '16' } });
    try {
      const urls = Array.from({ length: pages }, (_, index) => `${site.url}/article/${index}`);
      const large = await createMonitor(service, urls);
      const small = await createMonitor(service, urls.slice(0, PAGES_OF_SMALL_MONITOR));
      for (const id of [large, small]) await check(service, id);
      const requireSame = (same: number, expected: number) => {
        if (same !== expected) throw new Error(`${same} of ${expected} pages are the same as before.`);
      };
      const works: Record<string, { of: number; work: () => Promise<unknown> }> = {
        scrape: {
          of: pages,
          work: () =>
            measure(pages, SCRAPES_AT_ONCE, (index) =>
              ask(service.instance, {
                path: '/v2/scrape',
                body: { url: urls[index], maxAge: 0 },
                answer: scraped,
              }),
            ),
        },
        'page of a batch': {
          of: pages,
          work: () => runBatch(service.instance, { urls, maxAge: 0 }, LOOK_MS),
        },
        'page of a check of many pages': {
          of: pages,
          work: async () => requireSame(await check(service, large), pages),
        },
        'check of one page': {
          of: Math.ceil(pages / FEWER),
          work: async () => {
            for (let index = 0; index < Math.ceil(pages / FEWER); index++)
              requireSame(await check(service, small), PAGES_OF_SMALL_MONITOR);
          },
        },
      };
      const cpu: Record<string, number[]> = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [name, { of, work }] of Object.entries(works)) {
          const before = cpuOf(service);
          await work();
          if (round > 0) cpu[name]?.push((cpuOf(service) - before) / of);
        }
      }
      const mean = (values: number[] = []) => values.reduce((sum, each) => sum + each, 0) / values.length;
      const ofScrape = mean(cpu.scrape);
      console.log(
        table(
          Object.keys(works).map((name) => ({
            work: name,
            'CPU-ms': short(mean(cpu[name])),
            '÷ scrape': (mean(cpu[name]) / ofScrape).toFixed(2),
          })),
        ),
      );
    } finally {
      await service.instance.stop();
    }
  });
}
