import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/db/client.ts';
import { addKey, createTeam, generateKey } from '../../src/db/teams/teams.ts';
import { runningDatabaseUrl } from '../../src/embedded/postgres.ts';
import { cancelResponse } from '../../src/schemas/page-job.ts';
import { percentile, table } from '../figures.ts';
import { type Bench, startCrawl } from './bench.ts';
import { withSite } from './programs.ts';
import { ask, type Caller, type JobPath, type MeasuredService, readHead, startJob } from './service.ts';

const BATCHES = 20;
const BATCH_PAGES = 10;
const BETWEEN_MS = 500;
const LOOK_MS = 200;
/** Number of finished pages from which the large crawl counts as running. */
const UNDER_WAY = 100;

/** Measures small batches of one team, alone and during a large crawl of another team. @returns markdown tables */
export async function measureTeams(bench: Bench): Promise<string> {
  const pages = bench.options.teamPages ?? 0;
  const large: Caller = bench.service.instance;
  const small = await makeTeam(bench.service);
  return withSite(1, ({ url: smallUrl }) =>
    withSite(pages, async ({ url: siteUrl }) => {
      await runBatches(small, smallUrl);
      const alone = await runBatches(small, smallUrl);
      const crawl = await startCrawl(bench, { siteUrl, pages });
      const before = await waitFor(large, crawl, UNDER_WAY);
      const beside = await runBatches(small, smallUrl);
      const after = await readHead(large, crawl);
      if (after.status === 'scraping')
        await ask(large, { path: crawl, method: 'DELETE', answer: cancelResponse });
      const meanwhile = after.completed - before.completed;
      const isThere =
        after.status === 'scraping' ? '' : ' It ENDED before the last batch: give it more pages.';
      return `${table([row('alone', alone), row('beside a crawl', beside)])}

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

/** Runs batches of new pages. @returns milliseconds from each request to the end of its batch */
async function runBatches(caller: Caller, siteUrl: string): Promise<number[]> {
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const urls = Array.from({ length: BATCH_PAGES }, () => `${siteUrl}/article/${article++}`);
    const start = Date.now();
    const job = await startJob(caller, '/v2/batch/scrape', { urls });
    const { completed, completedAt = '' } = await waitFor(caller, job, Number.POSITIVE_INFINITY);
    if (completed !== BATCH_PAGES) throw new Error(`${job} has ${completed} of ${BATCH_PAGES} documents`);
    times.push(Date.parse(completedAt) - start);
    await sleep(BETWEEN_MS);
  }
  return times;
}

const row = (name: string, times: number[]) => ({
  [`${BATCHES} batches of ${BATCH_PAGES} pages`]: name,
  'p50 ms': percentile(times, 0.5),
  'p95 ms': percentile(times, 0.95),
  'most ms': Math.max(...times),
});
