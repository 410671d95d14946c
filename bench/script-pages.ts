import { z } from 'zod';
import { appTruth } from '../test/site/site.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { ask, startMeasuredService } from './crawl/service.ts';
import { measure, percentile, short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';

/**
 * Measures POST /v2/scrape of pages that a script draws 100 ms after they have loaded: one after the other, and with 16
 * clients with the CPU time of each process. A page without its content fails the benchmark.
 * Usage: node bench/script-pages.ts [SCRAPES]
 */

const SCRAPES = Number(process.argv[2] ?? 96);
const ALONE = 20;
const CLIENTS = 16;
const WARM_UP = 16;

const scraped = z.object({ data: z.object({ markdown: z.string() }) });

const site = await startSiteProcess(1);
const { instance, roots } = await startMeasuredService();
const scrape = async (index: number) => {
  const body = { url: `${site.url}/app/${index}`, formats: ['markdown'] };
  const { data } = await ask(instance, { path: '/v2/scrape', body, answer: scraped });
  if (!data.markdown.includes(appTruth(index).firstSentence))
    throw new Error(`${body.url} was read too early`);
};
try {
  await measure(WARM_UP, 4, (index) => scrape(1_000_000 + index));
  const alone = await measure(ALONE, 1, (index) => scrape(2_000_000 + index));
  const before = byRole(sampleProcesses(roots), 'cpuMs');
  const many = await measure(SCRAPES, CLIENTS, scrape);
  const after = byRole(sampleProcesses(roots), 'cpuMs');
  console.log(
    table([
      { scrapes: 'one after the other', 'p50 ms': short(percentile(alone.times, 0.5)), 'per second': '' },
      {
        scrapes: `${CLIENTS} clients`,
        'p50 ms': short(percentile(many.times, 0.5)),
        'per second': short((SCRAPES / many.totalMs) * 1000),
      },
    ]),
  );
  const cpu = Object.keys(after).map((role) => ({
    role,
    cpuMs: ((after[role] ?? 0) - (before[role] ?? 0)) / SCRAPES,
  }));
  const sum = cpu.reduce((total, { cpuMs }) => total + cpuMs, 0);
  console.log(
    `\n${table([...cpu, { role: 'sum', cpuMs: sum }].map(({ role, cpuMs }) => ({ process: role, 'CPU-ms per scrape': short(cpuMs) })))}`,
  );
} finally {
  await instance.stop();
  site.stop();
}
