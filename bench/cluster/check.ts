import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import { appTruth, articleTruth, type Site, startSite } from '../../test/site/site.ts';
import { call, scrape, untilAccepted } from './client.ts';
import type { ClusterOptions } from './options.ts';
import { type Cluster, startCluster } from './start.ts';

/** Delays of pages in milliseconds: some respond while the process is down, some when it is up again. */
const PAGE_MS = [900, 900, 3_000, 3_000];
const POLL_MS = 50;
const GIVE_UP_MS = 120_000;

/** Findings, printed as they are made. */
interface Findings {
  right(text: string): void;
  wrong(text: string): void;
}

/**
 * Starts a cluster, scrapes through each API, and kills each process once while scrapes run.
 * @returns whether every result was correct and billed once
 */
export async function checkCluster(options: ClusterOptions): Promise<boolean> {
  let isRight = true;
  const findings: Findings = {
    right: (text) => void process.stdout.write(`ok     ${text}\n`),
    wrong(text) {
      isRight = false;
      process.stdout.write(`WRONG  ${text}\n`);
    },
  };
  const site = await startSite();
  try {
    const env = { WINNOW_ALLOW_PRIVATE: '127.0.0.0/8,::1/128', ...options.env };
    const cluster = await startCluster({ ...options, env });
    try {
      const scrapes = await checkParts({ cluster, site, findings, signal: options.signal });
      await checkBill(cluster, scrapes, findings);
    } catch (error) {
      findings.wrong(messageOf(error));
    } finally {
      await cluster.stop({ keepData: options.dataDir !== undefined });
    }
  } finally {
    await site.close();
  }
  return isRight;
}

interface Check {
  cluster: Cluster;
  site: Site;
  findings: Findings;
  signal?: AbortSignal | undefined;
}

/** Kills each process during scrapes. @returns the number of scraped pages */
async function checkParts({ cluster, site, findings, signal }: Check): Promise<number> {
  let article = 0;
  const nextArticle = (api: number, prefix = ''): Page => {
    const path = `${prefix}/article/${article}`;
    return { api, path, expected: articleTruth(article++).firstSentence };
  };
  const apis = [...cluster.urls.keys()];
  const pages: Page[] = apis.map((api) => nextArticle(api));
  for (const { api, path } of pages) {
    const refusals = await untilAccepted(cluster, api, site.url + path);
    findings.right(`API ${api + 1} accepts work after ${refusals} refusals`);
  }
  const normal = apis.flatMap((api) => [
    nextArticle(api),
    { api, path: `/app/${api}`, expected: appTruth(api).firstSentence },
  ]);
  await Promise.all(normal.map((page) => checkPage({ cluster, site, findings, page, note: 'all up' })));
  pages.push(...normal);

  for (const name of Object.keys(cluster.parts)) {
    signal?.throwIfAborted();
    const slow = PAGE_MS.map((pageMs, index) => nextArticle(index % apis.length, `/slow/${pageMs}`));
    const note = `${name} killed`;
    const checks = slow.map((page) => checkPage({ cluster, site, findings, page, note }));
    await untilAsked(site, slow);
    cluster.kill(name);
    await Promise.all(checks);
    await cluster.untilUp(name);
    findings.right(`${name} is up again, process ${cluster.parts[name]?.pid}`);
    pages.push(...slow);
  }
  return pages.length;
}

/** A page to scrape, the API to use, and the expected text. */
interface Page {
  api: number;
  path: string;
  expected: string;
}

/** Resolves when every page has been requested. */
async function untilAsked(site: Site, pages: Page[]): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS;
  while (pages.some(({ path }) => !site.hits(path))) {
    if (Date.now() > deadline)
      throw new Error(`${pages[0]?.path} and others with it did not reach the site.`);
    await sleep(POLL_MS);
  }
}

interface PageCheck extends Check {
  page: Page;
  note: string;
}

async function checkPage({ cluster, site, findings, page, note }: PageCheck): Promise<void> {
  const asked = `${note}: ${page.path} through API ${page.api + 1}`;
  try {
    const { markdown, how } = await scrape(cluster, page.api, site.url + page.path);
    if (markdown.includes(page.expected)) findings.right(`${asked}, ${how}`);
    else findings.wrong(`${asked}, ${how}: '${page.expected}' is not in: ${markdown.slice(0, 200)}`);
  } catch (error) {
    findings.wrong(`${asked}: ${messageOf(error)}`);
  }
}

/** Checks that scrapes are billed once, even if a kill made an activity run twice. */
async function checkBill(cluster: Cluster, scrapes: number, findings: Findings): Promise<void> {
  const { body } = await call(cluster, 0, '/v2/team/credit-usage/historical');
  const billed = body.periods.reduce(
    (sum: number, period: { totalCredits: number }) => sum + period.totalCredits,
    0,
  );
  const text = `${scrapes} pages were scraped, ${billed} credits billed`;
  if (billed === scrapes) findings.right(text);
  else findings.wrong(text);
}
