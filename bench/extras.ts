import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { every } from '../src/system/every.ts';
import { count, readCommandLine } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { type MeasuredService, runBatch, startMeasuredService } from './crawl/service.ts';
import { percentile, short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';

const HELP = `Measures what archives, metrics and traces add to the CPU time of a page of a batch: plain batches, batches with
archive: true, plain ones while the metrics are read each second (fifteen times as often as Prometheus does by default), and
those of a service whose traces go to a collector, in turn. Takes some minutes. Starts two services with data of their own, on Linux.

Usage: node bench/extras.ts [OPTIONS]

  --pages N   pages of each batch (500)
  --rounds N  batches of each kind (5), after one that does not count
  --help      print this text
`;

const options = readCommandLine(HELP, { pages: count(500), rounds: count(5) });
const LOOK_MS = 1_000;

/** Takes in traces and reads nothing of them. */
async function startCollector() {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
    });
    request.on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received: () => bytes, close: () => server.close() };
}

let batches = 0;

/** Scrapes a batch of pages that are not in the cache. @returns CPU milliseconds of all processes for each page */
async function measurePage(
  { instance, roots }: MeasuredService,
  { siteUrl, archive = false }: { siteUrl: string; archive?: boolean },
): Promise<number> {
  const look = () =>
    Object.values(byRole(sampleProcesses(roots), 'cpuMs')).reduce((sum, cpuMs) => sum + cpuMs, 0);
  const batch = batches++;
  const urls = Array.from({ length: options.pages }, (_, n) => `${siteUrl}/article/${n}?batch=${batch}`);
  const before = look();
  await runBatch(instance, { urls, maxAge: 0, archive }, LOOK_MS);
  return (look() - before) / options.pages;
}

/** Does some work while the metrics of a service are read each second. */
async function whileMetricsAreRead<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  let failed: unknown;
  const read = async () => void (await (await fetch(new URL('/metrics', url))).text());
  const timer = every(LOOK_MS, read, (error) => {
    failed ??= error;
  });
  const result = await work().finally(() => clearInterval(timer));
  if (failed) throw failed;
  return result;
}

async function measure(): Promise<void> {
  const collector = await startCollector();
  const site = await startSiteProcess();
  const plain = await startMeasuredService();
  const traced = await startMeasuredService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const siteUrl = site.url;
  const ways = {
    plain: () => measurePage(plain, { siteUrl }),
    'archive: true': () => measurePage(plain, { siteUrl, archive: true }),
    'metrics read each second': () =>
      whileMetricsAreRead(plain.instance.url, () => measurePage(plain, { siteUrl })),
    traces: () => measurePage(traced, { siteUrl }),
  };
  const results = Object.entries(ways).map(([name, run]) => ({ name, run, cpuMs: [] as number[] }));
  try {
    for (let round = 0; round <= options.rounds; round++)
      for (const { run, cpuMs } of results) {
        const page = await run();
        if (round > 0) cpuMs.push(page);
      }
  } finally {
    await Promise.all([plain.instance.stop(), traced.instance.stop()]);
    site.stop();
    collector.close();
  }
  if (collector.received() === 0) throw new Error('The collector got no traces.');
  const median = (cpuMs: number[]) => percentile(cpuMs, 0.5);
  const base = median(results[0]?.cpuMs ?? []);
  const rows = results.map(({ name, cpuMs }) => ({
    batches: name,
    'CPU-ms a page': short(median(cpuMs)),
    '÷ plain': (median(cpuMs) / base).toFixed(3),
    'of all rounds': cpuMs.map(short).join(', '),
  }));
  console.log(table(rows));
}

await measure();
