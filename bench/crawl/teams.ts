import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { cancelResponse } from '../../src/schemas/page-job.ts';
import { openDatabase } from '../../src/storage/db/client.ts';
import { generateKey } from '../../src/storage/db/teams/generate-key.ts';
import { addKey, createTeam } from '../../src/storage/db/teams/teams.ts';
import { percentile, table } from '../figures.ts';
import { type Bench, startCrawl } from './bench.ts';
import { withSite } from './programs.ts';
import { ask, type Caller, type JobPath, type MeasuredService, readHead, startJob } from './service.ts';

/** Of 60 scrapes, the 95th percentile was the third slowest, and thus chance. */
const SCRAPES = 160;
const BATCHES = 20;
const BATCH_PAGES = 10;
/** Milliseconds between two jobs, so that the small team never loads the machine itself. */
const BETWEEN_MS = 300;
const LOOK_MS = 25;
/** Number of finished pages from which the large crawl counts as running. */
const UNDER_WAY = 100;

/** Milliseconds of the small team's jobs. */
interface Times {
  scrapes: number[];
  /** From the request of a batch to its first document. */
  firstPages: number[];
  /** From the request of a batch to its end. */
  batches: number[];
}

/**
 * Measures scrapes and small batches of one team, alone and during a large crawl of another team.
 * @returns markdown tables
 */
export async function measureTeams(bench: Bench): Promise<string> {
  const pages = bench.options.teamPages ?? 0;
  const large: Caller = bench.service.instance;
  const small = await makeTeam(bench.service);
  return withSite(1, ({ url: smallUrl }) =>
    withSite(pages, async ({ url: siteUrl }) => {
      await runJobs(small, smallUrl);
      const alone = await runJobs(small, smallUrl);
      const crawl = await startCrawl(bench, { siteUrl, pages });
      const before = await waitFor(large, crawl, UNDER_WAY);
      const beside = await runJobs(small, smallUrl);
      const after = await readHead(large, crawl);
      if (after.status === 'scraping')
        await ask(large, { path: crawl, method: 'DELETE', answer: cancelResponse });
      const meanwhile = after.completed - before.completed;
      const isThere =
        after.status === 'scraping' ? '' : ' It ENDED before the last batch: give it more pages.';
      return `${table(comparisonOf(alone, beside))}

The crawl of ${pages} pages got ${meanwhile} done meanwhile.${isThere}`;
    }),
  );
}

async function makeTeam({ instance: { url, dataDir } }: MeasuredService): Promise<Caller> {
  const db = openDatabase(runningDatabaseUrl(dataDir), (error) => console.error(error));
  try {
    const key = generateKey();
    await addKey(db, await createTeam(db, 'small', null), 'bench', key);
    return { url, key };
  } finally {
    await db.close();
  }
}

async function waitFor(caller: Caller, job: JobPath, completed: number) {
  for (;;) {
    const head = await readHead(caller, job);
    if (head.completed >= completed || head.status !== 'scraping') return head;
    await sleep(LOOK_MS);
  }
}

let article = 0;

/** Runs scrapes and then batches, all of new pages. */
async function runJobs(caller: Caller, siteUrl: string): Promise<Times> {
  const times: Times = { scrapes: [], firstPages: [], batches: [] };
  const nextUrl = () => `${siteUrl}/article/${article++}`;
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    const start = performance.now();
    await ask(caller, { path: '/v2/scrape', body: { url: nextUrl() }, answer: z.unknown() });
    times.scrapes.push(performance.now() - start);
    await sleep(BETWEEN_MS);
  }
  for (let batch = 0; batch < BATCHES; batch++) {
    const urls = Array.from({ length: BATCH_PAGES }, nextUrl);
    const start = Date.now();
    const job = await startJob(caller, '/v2/batch/scrape', { urls });
    await waitFor(caller, job, 1);
    times.firstPages.push(Date.now() - start);
    const { completed, completedAt = '' } = await waitFor(caller, job, Number.POSITIVE_INFINITY);
    if (completed !== BATCH_PAGES) throw new Error(`${job} has ${completed} of ${BATCH_PAGES} documents`);
    times.batches.push(Date.parse(completedAt) - start);
    await sleep(BETWEEN_MS);
  }
  return times;
}

const NAMES: Record<keyof Times, string> = {
  scrapes: `${SCRAPES} scrapes`,
  firstPages: `first page of ${BATCHES} batches of ${BATCH_PAGES} pages`,
  batches: 'the whole batch',
};

/** One row for each kind of time. */
const comparisonOf = (alone: Times, beside: Times) =>
  // The keys of an object literal are those of its type.
  (Object.keys(NAMES) as (keyof Times)[]).map((kind) => {
    const p95 = (times: Times) => percentile(times[kind], 0.95);
    return {
      milliseconds: NAMES[kind],
      'alone, p50': percentile(alone[kind], 0.5).toFixed(0),
      'alone, p95': p95(alone).toFixed(0),
      'beside the crawl, p50': percentile(beside[kind], 0.5).toFixed(0),
      'beside the crawl, p95': p95(beside).toFixed(0),
      'p95 ÷ p95': (p95(beside) / p95(alone)).toFixed(2),
    };
  });
