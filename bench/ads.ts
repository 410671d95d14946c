import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { startBrowser } from '../test/support/browser/start-browser.ts';
import { startPages } from '../test/support/sites/pages.ts';
import { count, directory, readCommandLine } from './command-line.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures what blocking advertisements and cookie notices costs or saves. Opens a page with third-party requests
(alternately scripts and images, half of them on the lists) with and without blocking, in turn.
Takes about a minute. Needs a Chromium.

Usage: node bench/ads.ts [OPTIONS]

  --requests N    third-party requests of the page (100)
  --runs N        number of times that the page is opened each way (20)
  --lists DIR     filter lists (*.txt) to load as a worker does, in addition to rules for two hosts of this page
  --help          print this text
`;

const FILE_BYTES = 20_000;
const HOSTS = ['site.example', 'ads.example', 'tracker.example', 'cdn.example', 'images.example'];
const LISTED = '||ads.example^\n||tracker.example^\n';
const SCRIPT = '/script.js';
const PICTURE = '/picture.svg';

const options = readCommandLine(HELP, { requests: count(100), runs: count(20), lists: directory() });
await main(options.requests, options.runs, options.lists);

async function main(requests: number, runs: number, listsDir: string | undefined): Promise<void> {
  await using site = await startSite(requests);
  await using browser = await startBrowser({ hosts: HOSTS, lists: LISTED + (await textOf(listsDir)) });
  const url = site.url.replace('127.0.0.1', 'site.example');
  const ways = [true, false].map((blockAds) => ({ blockAds, times: [] as number[], fetched: 0 }));
  for (let run = -1; run < runs; run++) {
    // The order alternates between runs. The first run only warms up.
    for (const way of run % 2 ? ways : ways.toReversed()) {
      const before = { requests: site.requests.length, at: performance.now() };
      await browser.visit(`${url}/?${run}`, { blockAds: way.blockAds });
      if (run < 0) continue;
      way.times.push(performance.now() - before.at);
      way.fetched = site.requests.length - before.requests;
    }
  }
  console.log(
    table(
      ways.map(({ blockAds, times, fetched }) => ({
        blocking: blockAds ? 'on' : 'off',
        'requests sent': fetched,
        'p50 ms': short(percentile(times, 0.5)),
        'p90 ms': short(percentile(times, 0.9)),
      })),
    ),
  );
  const [on = Number.NaN, off = Number.NaN] = ways.map(({ times }) => percentile(times, 0.5));
  console.log(`\nmedian on / off: ${(on / off).toFixed(2)} (goal: at most 1)`);
  if (on > off) process.exitCode = 1;
}

/** Serves the page and its third-party files, all of them with headers that forbid caching. */
function startSite(requests: number) {
  const file = (type: string, content: string) => (_request: unknown, response: ServerResponse) =>
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(content);
  const thirdParties = (port: string) =>
    Array.from({ length: requests }, (_, index) => {
      const address = (file: string) => `http://${HOSTS[1 + (index % 4)]}:${port}${file}?${index}`;
      return Math.floor(index / 4) % 2
        ? `<script async src="${address(SCRIPT)}"></script>`
        : `<img src="${address(PICTURE)}">`;
    });
  return startPages({
    '/': (request, response) => {
      const port = request.headers.host?.split(':')[1] ?? '';
      const body = `<main><h1>News</h1><p>Text</p></main>${thirdParties(port).join('')}`;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><body>${body}</body>`);
    },
    [SCRIPT]: file('text/javascript', `//${'x'.repeat(FILE_BYTES)}`),
    [PICTURE]: file('image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"/>${' '.repeat(FILE_BYTES)}`),
  });
}

async function textOf(directory: string | undefined): Promise<string> {
  if (!directory) return '';
  const names = (await readdir(directory)).filter((name) => name.endsWith('.txt'));
  return (await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')))).join('\n');
}
