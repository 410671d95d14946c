import { z } from 'zod';
import { appTruth } from '../test/site/site.ts';
import { count, readCommandLine } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { ask, runBatch, startMeasuredService } from './crawl/service.ts';
import { measure, percentile, short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';

const HELP = `Measures pages that a script draws 100 ms after they have loaded: POST /v2/scrape, one after the other and with 16
clients, and a batch of twice as many pages of the one host, with the CPU time of each process. A page without its content fails
the benchmark. Takes about a minute. Starts the service with data of its own, on Linux, and needs a Chromium.

Usage: node bench/script-pages.ts [OPTIONS]

  --scrapes N   scrapes with 16 clients, and half of the pages of the batch (96)
  --help        print this text
`;

const { scrapes: SCRAPES } = readCommandLine(HELP, { scrapes: count(96) });
const ALONE = 20;
const CLIENTS = 16;
const WARM_UP = 16;
/** The API takes CPU time for each look at the batch. */
const LOOK_MS = 250;

const scraped = z.object({ data: z.object({ markdown: z.string() }) });

const site = await startSiteProcess(1);
const { instance, roots } = await startMeasuredService();
const scrape = async (index: number) => {
  const body = { url: `${site.url}/app/${index}`, formats: ['markdown'] };
  const { data } = await ask(instance, { path: '/v2/scrape', body, answer: scraped });
  if (!data.markdown.includes(appTruth(index).firstSentence))
    throw new Error(`${body.url} was read too early`);
};
/** Scrapes a batch of pages. @returns milliseconds from its request to its end */
async function timeBatch(from: number, pages: number): Promise<number> {
  const start = performance.now();
  const urls = Array.from({ length: pages }, (_, index) => `${site.url}/app/${from + index}`);
  await runBatch(instance, { urls }, LOOK_MS);
  return performance.now() - start;
}

/** CPU milliseconds a page of each process, while `work` runs. */
async function cpuOf<Result>(pages: number, work: () => Promise<Result>) {
  const before = byRole(sampleProcesses(roots), 'cpuMs');
  const result = await work();
  const after = byRole(sampleProcesses(roots), 'cpuMs');
  const cpu = Object.keys(after).map((role) => [role, ((after[role] ?? 0) - (before[role] ?? 0)) / pages]);
  return { result, cpu: Object.fromEntries(cpu) as Record<string, number> };
}

try {
  await measure(WARM_UP, 4, (index) => scrape(1_000_000 + index));
  const alone = await measure(ALONE, 1, (index) => scrape(2_000_000 + index));
  const many = await cpuOf(SCRAPES, () => measure(SCRAPES, CLIENTS, scrape));
  const pages = 2 * SCRAPES;
  await timeBatch(3_000_000, WARM_UP);
  const batch = await cpuOf(pages, () => timeBatch(4_000_000, pages));
  const perSecond = (count: number, ms: number) => short((count / ms) * 1000);
  console.log(
    table([
      {
        pages: 'scrapes, one after the other',
        'p50 ms': short(percentile(alone.times, 0.5)),
        'per second': '',
      },
      {
        pages: `scrapes, ${CLIENTS} clients`,
        'p50 ms': short(percentile(many.result.times, 0.5)),
        'per second': perSecond(SCRAPES, many.result.totalMs),
      },
      { pages: `a batch of ${pages} pages`, 'p50 ms': '', 'per second': perSecond(pages, batch.result) },
    ]),
  );
  const sum = (cpu: Record<string, number>) => Object.values(cpu).reduce((total, ms) => total + ms, 0);
  const rows = [...Object.keys(many.cpu), 'sum'].map((process) => ({
    process,
    'CPU-ms per scrape': short({ ...many.cpu, sum: sum(many.cpu) }[process] ?? 0),
    'CPU-ms per page of the batch': short({ ...batch.cpu, sum: sum(batch.cpu) }[process] ?? 0),
  }));
  console.log(`\n${table(rows)}`);
} finally {
  await instance.stop();
  site.stop();
}
