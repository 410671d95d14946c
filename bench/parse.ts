import { pdf } from '../test/site/files.ts';
import { startService } from '../test/support/service/start-service.ts';
import { count, readCommandLine } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures POST /v2/parse and POST /v2/scrape of a PDF of one page beside POST /v2/scrape of a static page, one after
the other in turn. Takes about a minute. Starts the service with data of its own.

Usage: node bench/parse.ts [OPTIONS]

  --rounds N   requests of each kind, after some for warming up (100)
  --help       print this text
`;

const { rounds: ROUNDS } = readCommandLine(HELP, { rounds: count(100) });
const WARM_UP = 15;

const site = await startSiteProcess(100_000);
const service = await startService({ env: { LOG_LEVEL: 'warn' } });

async function send(path: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${service.url}${path}`, { method: 'POST', ...init });
  const body = await response.text();
  if (response.status !== 200) throw new Error(body);
}
const authorization = { Authorization: `Bearer ${service.key}` };

const scrape = (path: string) =>
  send('/v2/scrape', {
    headers: { ...authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${site.url}${path}` }),
  });

function parse(index: number) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(pdf(index))]), `${index}.pdf`);
  return send('/v2/parse', { headers: authorization, body: form });
}

const requests: Record<string, (index: number) => Promise<void>> = {
  'POST /v2/scrape of a static page': (index) => scrape(`/article/${index}`),
  'POST /v2/scrape of a PDF of one page': (index) => scrape(`/docs/${index}.pdf`),
  'POST /v2/parse of a PDF of one page': parse,
};

try {
  const times = new Map(Object.keys(requests).map((name) => [name, [] as number[]]));
  for (let index = 0; index < WARM_UP + ROUNDS; index++) {
    for (const [name, request] of Object.entries(requests)) {
      const start = performance.now();
      await request(50_000 + index);
      if (index >= WARM_UP) times.get(name)!.push(performance.now() - start);
    }
  }
  const rows = Array.from(times, ([name, each]) => ({
    [`one after the other, ${ROUNDS} rounds`]: name,
    'p50 ms': short(percentile(each, 0.5)),
    'p99 ms': short(percentile(each, 0.99)),
  }));
  console.log(table(rows));
} finally {
  await service.stop();
  site.stop();
}
