import { validateKnownKeys } from '../src/api/v1/known-members.ts';
import { translateScrapeRequest } from '../src/api/v1/scrape-request.ts';
import { validate } from '../src/api/validation/validate.ts';
import { scrapeRequestBody } from '../src/schemas/scrape.ts';
import { count, readCommandLine } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { type Caller, startMeasuredService } from './crawl/service.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures what the translation of version 1 of the API adds to a request: the same scrape, and the same
status of a batch, by /v1 and /v2 in turns, one after the other. Takes about a minute. Starts the service with data of its own,
on Linux.

Usage: node bench/older-clients.ts [OPTIONS]

  --requests N  requests of each kind and version (300)
  --help        print this text
`;

const { requests: REQUESTS } = readCommandLine(HELP, { requests: count(300) });
const WARM_UP = 40;
/** Calls of a function, of which the first half is warming up. */
const CALLS = 4_000;
const SCHEMA = { type: 'object', properties: { title: { type: 'string' } } };
/** The most milliseconds that version 1 may add to the median. */
const GOAL_MS = 1;

/** Sends a request. @returns the milliseconds until the whole response is there */
async function timed({ url, key }: Caller, path: string, body?: object): Promise<number> {
  const before = performance.now();
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return performance.now() - before;
}

/** Sends the requests of both versions in turns, so that what else the machine does hits both. */
async function compare(older: () => Promise<number>, newer: () => Promise<number>) {
  const times: Record<'older' | 'newer', number[]> = { older: [], newer: [] };
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    // Neither is always the one that comes first.
    const order = turn % 2 ? (['older', 'newer'] as const) : (['newer', 'older'] as const);
    for (const name of order) {
      const ms = await (name === 'older' ? older : newer)();
      if (turn >= 0) times[name].push(ms);
    }
  }
  return times;
}

/** Starts a batch of some pages. @returns its id, once it has ended */
async function finishedBatch({ url, key }: Caller, urls: string[]): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const started = await fetch(`${url}/v2/batch/scrape`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ urls }),
  });
  const { id } = await started.json();
  for (;;) {
    const { status } = await (await fetch(`${url}/v2/batch/scrape/${id}`, { headers })).json();
    if (status === 'completed') return id;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Median milliseconds of a call, without a network and other processes. */
function medianOf(work: () => unknown): number {
  const times = Array.from({ length: CALLS }, () => {
    const before = performance.now();
    work();
    return performance.now() - before;
  });
  return percentile(times.slice(CALLS / 2), 0.5);
}

/** Measures what both versions do with the body of a scrape of data. */
function compareChecks() {
  const url = 'https://example.com/';
  const older = { url, formats: ['extract'], extract: { schema: SCHEMA }, unknown: 1 };
  const newer = { url, maxAge: 0, timeout: 30_000, formats: [{ type: 'json', schema: SCHEMA }] };
  return {
    older: medianOf(() => validateKnownKeys(scrapeRequestBody, translateScrapeRequest(older).body, 'body')),
    newer: medianOf(() => validate(scrapeRequestBody, newer, 'body')),
  };
}

const checks = compareChecks();
console.log(
  `checking the body of a scrape of data: ${checks.older.toFixed(3)} ms by /v1, ${checks.newer.toFixed(3)} ms by /v2\n`,
);
const site = await startSiteProcess();
const { instance } = await startMeasuredService();
try {
  const url = `${site.url}/article/1`;
  const batch = await finishedBatch(
    instance,
    Array.from({ length: 10 }, (_, index) => `${site.url}/article/${index}`),
  );
  const options = { url, maxAge: 0, timeout: 30_000 };
  const rows = {
    'a scrape as markdown': await compare(
      () => timed(instance, '/v1/scrape', { url }),
      () => timed(instance, '/v2/scrape', options),
    ),
    'a scrape of data': await compare(
      () =>
        timed(instance, '/v1/scrape', { url, formats: ['extract'], extract: { schema: SCHEMA }, unknown: 1 }),
      () => timed(instance, '/v2/scrape', { ...options, formats: [{ type: 'json', schema: SCHEMA }] }),
    ),
    'the status of a batch of 10 pages, read as a crawl': await compare(
      () => timed(instance, `/v1/crawl/${batch}`),
      () => timed(instance, `/v2/batch/scrape/${batch}`),
    ),
  };
  console.log(
    table(
      Object.entries(rows).map(([name, { older, newer }]) => {
        // The two requests of a turn meet the same load, so that their difference says more than that of medians.
        const added = percentile(
          older.map((ms, turn) => ms - newer[turn]!),
          0.5,
        );
        return {
          'one after the other': name,
          '/v1, p50 ms': short(percentile(older, 0.5)),
          '/v2, p50 ms': short(percentile(newer, 0.5)),
          'added, p50 of the turns, ms': added.toFixed(2),
          'goal, ms': `≤ ${GOAL_MS}`,
          'met?': added <= GOAL_MS ? 'yes' : 'no',
        };
      }),
    ),
  );
} finally {
  await instance.stop();
  site.stop();
}
