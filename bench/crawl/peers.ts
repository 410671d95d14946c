import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { short, table } from '../figures.ts';
import { installPeers } from '../peers/install.ts';
import { type Bench, watchCrawl } from './bench.ts';
import { crawlWith, figuresOf } from './crawlers.ts';
import { type CrawlerOutcome, withSite } from './programs.ts';
import { readResults } from './results.ts';
import { cpuPerPage, sumOf } from './watch.ts';

const CRAWLEE = new URL('../peers/crawlee.ts', import.meta.url);
/** The settings in `bench/peers/crawlee.ts`. */
const SETTINGS = [
  'default',
  'default-parsing-again',
  'memory',
  'memory-4',
  'memory-8',
  'memory-16',
  'memory-32',
];
/** Runs of each crawler, in turn, because the machine's speed drifts. */
const ROUNDS = 2;
const OURS = 'Winnow';

async function runCrawlee(bench: Bench, setting: string): Promise<CrawlerOutcome> {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-crawlee-'));
  try {
    const { graph, peerPages: pages = 0 } = bench.options;
    const env = { CRAWLEE_STORAGE_DIR: directory, CRAWLEE_LOG_LEVEL: 'ERROR' };
    return await crawlWith(CRAWLEE, { graph, pages, setting, warmUpUrl: bench.warmUpUrl }, env);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runService(bench: Bench): Promise<CrawlerOutcome> {
  const { graph, peerPages: pages = 0 } = bench.options;
  const { instance } = bench.service;
  const {
    path: job,
    head,
    moments,
  } = await withSite(pages, ({ url }) => watchCrawl(bench, { siteUrl: url, pages }));
  const { distinct, markdownBytes } = await readResults(instance, job, graph);
  return {
    pages: distinct,
    totalMs: head.duration! * 1000,
    cpuMs: sumOf(cpuPerPage(moments[0]!, moments.at(-1)!, 1)),
    peakMb: Math.max(...moments.map(({ pssMb }) => sumOf(pssMb))),
    markdownBytes,
  };
}

/** Crawls one site with each crawler in turn. @returns markdown tables */
export async function comparePeers(bench: Bench): Promise<string> {
  await installPeers();
  const contenders = [
    { name: OURS, crawl: () => runService(bench) },
    ...SETTINGS.map((setting) => ({
      name: `Crawlee, ${setting}`,
      crawl: () => runCrawlee(bench, setting),
    })),
  ];
  const runs = new Map<string, CrawlerOutcome[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, crawl } of contenders) runs.set(name, [...(runs.get(name) ?? []), await crawl()]);
  }
  const figures = new Map([...runs].map(([name, own]) => [name, figuresOf(own)]));
  const ours = figures.get(OURS)!;
  const bytes = new Set([...runs.values()].flat().map(({ markdownBytes }) => markdownBytes));
  const rows = [...figures].map(([name, { perSecond, cpuMs, peakMb }]) => ({
    [`${bench.options.peerPages} pages, ${ROUNDS} times`]: name,
    'pages/s': short(perSecond),
    'CPU-ms per page': short(cpuMs),
    'memory most MB': short(peakMb),
    'our speed ÷ its (≥ 4)': (ours.perSecond / perSecond).toFixed(2),
    'our CPU ÷ its (≤ 0.65)': (ours.cpuMs / cpuMs).toFixed(2),
  }));
  return `${table(rows)}\n\nThe same markdown from all: ${bytes.size === 1 ? 'yes' : 'NO'}.`;
}
