import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onInterrupt } from '../src/cli/interrupt.ts';
import { messageOf } from '../src/errors.ts';
import { TerminalProgress } from '../src/run/embedded/terminal-progress.ts';
import { articleTruth, type Site, startSite } from '../test/site/site.ts';
import { call, untilAccepted } from './cluster/client.ts';
import { OWN_CHECKOUT } from './cluster/roles.ts';
import { type Cluster, startCluster } from './cluster/start.ts';
import { count, directory, flag, readCommandLine, required } from './command-line.ts';

const HELP = `Replaces the processes of a cluster by those of another version one after the other while a crawl and a batch run, and
then back again. Checks that every page is there once and billed once, and that scrapes are served all the time.

Usage: node bench/upgrade.ts --from DIR [OPTIONS]

  --from DIR     a checkout of the version before, with its node_modules
  --pages N      pages of the batch (default 400); the crawl has as many
  --forth        do not go back
  --help         print this text
`;

/** Every page takes this long, so that the jobs run as long as the processes are replaced. */
const PAGE_MS = 1_500;
/** The jobs have so many pages at a time. */
const AT_ONCE = 6;
const WORKERS = ['scrape', 'pages', 'pages', 'webhooks,models'];
const POLL_MS = 200;
const GIVE_UP_MS = 900_000;

interface Run {
  cluster: Cluster;
  site: Site;
  wrong: string[];
}

async function main(): Promise<void> {
  const options = readCommandLine(HELP, { from: required(directory()), pages: count(400), forth: flag() });
  await access(join(options.from, 'node_modules'));
  const progress = new TerminalProgress();
  const { signal, kill } = onInterrupt(progress.note);
  const site = await startSite();
  const env = { WINNOW_ALLOW_PRIVATE: '127.0.0.0/8,::1/128' };
  const cluster = await startCluster({
    progress,
    signal,
    kill,
    env,
    workers: WORKERS,
    checkout: options.from,
  });
  try {
    const run = { cluster, site, wrong: [] };
    await untilAccepted(cluster, 0, `${site.url}/article/0`);
    await upgradeAndBack(run, options);
    process.exitCode = run.wrong.length ? 1 : 0;
  } finally {
    await cluster.stop();
    await site.close();
  }
}

/** Runs two jobs during each way, and compares what they brought. */
async function upgradeAndBack(
  run: Run,
  { from, pages, forth }: { from: string; pages: number; forth: boolean },
): Promise<void> {
  const { cluster } = run;
  const names = Object.keys(cluster.healthUrls);
  // The scrape that waited for the cluster.
  let billed = 1;
  const ways: [string, string][] = [['to the newer version', OWN_CHECKOUT]];
  if (!forth) ways.push(['back to the older version', from]);
  for (const [way, checkout] of ways) {
    const jobs = await startJobs(run, pages);
    const stop = new AbortController();
    const scraping = scrapeMeanwhile(run, stop.signal);
    for (const name of names) {
      await cluster.replace(name, checkout);
      process.stdout.write(`       ${name} was replaced, ${way}; ${await progressOf(run, jobs)}\n`);
    }
    const outcomes = await Promise.all(
      Object.entries(jobs).map(([path, id]) => checkJob(run, `${path}/${id}`)),
    );
    stop.abort();
    const scrapes = await scraping;
    billed += scrapes.served + outcomes.reduce((sum, documents) => sum + documents, 0);
    tell(
      run,
      outcomes.every((documents) => documents === pages),
      `${way}: ${outcomes.join(' and ')} documents of ${pages}`,
    );
    tell(
      run,
      scrapes.lost.length === 0,
      `${way}: ${scrapes.served} scrapes meanwhile, lost: ${scrapes.lost.join('; ') || 'none'}`,
    );
  }
  const { body } = await call(cluster, 0, '/v2/team/credit-usage/historical');
  const credits = body.periods.reduce(
    (sum: number, { totalCredits }: { totalCredits: number }) => sum + totalCredits,
    0,
  );
  tell(run, credits === billed, `${credits} credits for ${billed} pages`);
}

function tell({ wrong }: Run, isRight: boolean, finding: string): void {
  process.stdout.write(`${isRight ? 'ok    ' : 'WRONG '} ${finding}\n`);
  if (!isRight) wrong.push(finding);
}

/** Starts a batch of articles and a crawl of others. @returns their ids by path */
async function startJobs({ cluster, site }: Run, pages: number): Promise<Record<string, string>> {
  const urls = Array.from({ length: pages }, (_, index) => `${site.url}/slow/${PAGE_MS}/article/${index}`);
  const options = { maxConcurrency: AT_ONCE };
  const batch = await call(cluster, 0, '/v2/batch/scrape', { urls, ...options });
  const crawl = await call(cluster, 1, '/v2/crawl', {
    url: `${site.url}/`,
    limit: pages,
    sitemap: 'include',
    delay: 0.25,
  });
  for (const { status, body } of [batch, crawl])
    if (status !== 200) throw new Error(`A job was refused: ${status} ${body.error}`);
  return { '/v2/batch/scrape': batch.body.id, '/v2/crawl': crawl.body.id };
}

async function progressOf({ cluster }: Run, jobs: Record<string, string>): Promise<string> {
  const states = Object.entries(jobs).map(async ([path, id]) => {
    const { body } = await anyApi(cluster, `${path}/${id}?limit=1`);
    return `${path.split('/')[2]} ${body.completed}/${body.total}`;
  });
  return (await Promise.all(states)).join(', ');
}

/** Asks whichever API responds: the other one is being replaced. */
async function anyApi(cluster: Cluster, path: string, body?: unknown) {
  const deadline = Date.now() + 60_000;
  for (let api = 0; ; api = 1 - api) {
    try {
      return await call(cluster, api, path, body);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** Scrapes one page after the other. @returns how many were served, and what became of the others */
async function scrapeMeanwhile({ cluster, site }: Run, signal: AbortSignal) {
  const lost: string[] = [];
  let served = 0;
  for (let article = 0; !signal.aborted; article++) {
    const url = `${site.url}/article/${article % 50}`;
    const { status, body } = await anyApi(cluster, '/v2/scrape', { url, maxAge: 0 });
    if (status === 200 && body.data.markdown.includes(articleTruth(article % 50).firstSentence)) served++;
    else lost.push(`${url}: ${status} ${body.code ?? 'another text'}`);
    await sleep(POLL_MS);
  }
  return { served, lost };
}

/** Waits until a job has ended. @returns the number of its documents, each of another URL */
async function checkJob({ cluster }: Run, path: string): Promise<number> {
  const deadline = Date.now() + GIVE_UP_MS;
  for (;;) {
    const { body } = await anyApi(cluster, `${path}?limit=1`);
    if (body.status !== 'scraping') break;
    if (Date.now() > deadline)
      throw new Error(
        `${path} has ${body.completed} of ${body.total} pages after ${GIVE_UP_MS / 60_000} minutes.`,
      );
    await sleep(POLL_MS);
  }
  const seen = new Set<string>();
  for (let next: string | undefined = path; next; ) {
    const { body } = await anyApi(cluster, next);
    for (const { metadata } of body.data) {
      if (seen.has(metadata.sourceURL)) throw new Error(`${path} has ${metadata.sourceURL} twice.`);
      seen.add(metadata.sourceURL);
    }
    next = body.next && new URL(body.next).pathname + new URL(body.next).search;
  }
  return seen.size;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
