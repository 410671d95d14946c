import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnNewPort } from '../test/support/network/listen.ts';
import { type RunningService, startService } from '../test/support/service/start-service.ts';
import { count, readCommandLine } from './command-line.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures how long the service takes from its start to the response of the first scrape, with new data and with those of
an earlier start, and how much longer the first page takes after a rest than the next ones, with and without a browser.
Takes about four minutes, most of which are rest. Starts the service with data of its own, and needs a Chromium.

Usage: node bench/start.ts [OPTIONS]

  --starts N       starts with the data of an earlier one (5)
  --rest SECONDS   how long the service has nothing to do before the first page, without and with a browser (75)
  --help           print this text
`;

const { starts, rest: restSeconds } = readCommandLine(HELP, { starts: count(5), rest: count(75, 0) });

const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<title>A page</title><main><p>One paragraph of a page that is scraped.</p></main>');
});
const port = await listenOnNewPort(site);
let pages = 0;

/** Scrapes a page that is new to the service. @returns the milliseconds it took */
async function scrape({ url, key }: RunningService, options: object = {}): Promise<number> {
  const before = performance.now();
  const response = await fetch(`${url}/v2/scrape`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/${pages++}`, ...options }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
  return performance.now() - before;
}

/** @returns the running service, and the milliseconds from its start to the response of the first scrape */
async function measureStart(dataDir?: string): Promise<{ service: RunningService; ms: number }> {
  const before = performance.now();
  const service = await startService({
    ...(dataDir !== undefined && { dataDir }),
    env: { LOG_LEVEL: 'warn' },
  });
  await scrape(service);
  return { service, ms: performance.now() - before };
}

let { service, ms } = await measureStart();
try {
  const warm: number[] = [];
  console.log(`new data: ${short(ms)} ms to the first scrape`);
  for (let start = 0; start < starts; start++) {
    await service.stop({ keepData: true });
    ({ service, ms } = await measureStart(service.dataDir));
    warm.push(ms);
  }
  console.log(
    `existing data, ${starts} starts: median ${short(percentile(warm, 0.5))}, slowest ${short(Math.max(...warm))} ms\n`,
  );

  const rows: Record<string, string | number>[] = [];
  for (const [engine, options] of Object.entries({ HTTP: {}, browser: { waitFor: 1 } })) {
    await scrape(service, options);
    await sleep(restSeconds * 1000);
    const first = await scrape(service, options);
    const next: number[] = [];
    for (let index = 0; index < 10; index++) next.push(await scrape(service, options));
    const median = percentile(next, 0.5);
    rows.push({
      engine,
      'first page after the rest, ms': short(first),
      'next ten, median ms': short(median),
      difference: short(first - median),
    });
  }
  console.log(`Pages after ${restSeconds} s without work\n\n${table(rows)}`);
} finally {
  await service.stop();
  site.close();
}
