import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { linkPage } from '../test/site/links.ts';
import { count, readCommandLine } from './command-line.ts';
import { runBatch, startMeasuredService } from './crawl/service.ts';
import { short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';

const HELP = `Measures batches of small pages of one host that takes a fixed time for each response, and how many requests the host
has at once meanwhile. Takes about half a minute. Starts the service with data of its own, on Linux.

Usage: node bench/slow-host.ts [OPTIONS]

  --pages N    pages of each batch (200)
  --delay MS   time that the host takes for each response, in milliseconds (100)
  --rounds N   number of batches, after one for warming up (3)
  --help       print this text
`;

const {
  pages,
  delay: hostMs,
  rounds,
} = readCommandLine(HELP, { pages: count(200), delay: count(100), rounds: count(3) });
/** The default of `WINNOW_REQUESTS_PER_HOST`. */
const REQUESTS_AT_ONCE = 8;
const LOOK_MS = 50;

/** A host that answers every request after `hostMs`, and adds up how long it had how many requests. */
async function startHost() {
  let open = 0;
  let changedAt = 0;
  let firstAt = 0;
  let requestMs = 0;
  const count = (change: number) => {
    const now = performance.now();
    requestMs += open * (now - changedAt);
    changedAt = now;
    open += change;
  };
  const server = createServer(async (request, response) => {
    firstAt ||= performance.now();
    count(1);
    await sleep(hostMs);
    count(-1);
    const number = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 0);
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(linkPage(number, pages));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /**
     * @returns the mean number of requests at once between the first request and the end of the last one, and
     * restarts
     */
    takeMean() {
      const mean = requestMs / (changedAt - firstAt);
      [requestMs, firstAt] = [0, 0];
      return mean;
    },
    close: () => server.close(),
  };
}

const service = await startMeasuredService();
const host = await startHost();
const rows: Record<string, string | number>[] = [];
const idealMs = (pages / REQUESTS_AT_ONCE) * hostMs;
try {
  for (let round = 0; round <= rounds; round++) {
    const urls = Array.from({ length: pages }, (_, index) => `${host.url}/${round}/${index}`);
    const before = byRole(sampleProcesses(service.roots), 'cpuMs');
    const start = Date.now();
    const { completedAt } = await runBatch(service.instance, { urls, maxAge: 0 }, LOOK_MS);
    const totalMs = Date.parse(completedAt ?? '') - start;
    const after = byRole(sampleProcesses(service.roots), 'cpuMs');
    const requestsAtOnce = host.takeMean();
    if (round === 0) continue;
    const cpu = (role: string) => short(((after[role] ?? 0) - (before[role] ?? 0)) / pages);
    rows.push({
      seconds: (totalMs / 1000).toFixed(2),
      '÷ ideal': (totalMs / idealMs).toFixed(2),
      'requests at once, mean': requestsAtOnce.toFixed(2),
      'CPU-ms per page, worker': cpu('worker'),
      Postgres: cpu('postgres'),
      Temporal: cpu('temporal'),
    });
  }
  console.log(
    `${pages} pages, ${hostMs} ms each; ideal with ${REQUESTS_AT_ONCE} at once: ${(idealMs / 1000).toFixed(2)} s\n`,
  );
  console.log(table(rows));
} finally {
  host.close();
  await service.instance.stop();
}
