import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright';
import { readConfig } from '../src/config.ts';
import { findChromium } from '../src/run/embedded/chromium.ts';
import { startPages } from '../test/support/sites/pages.ts';
import { directory, readCommandLine, required, text } from './command-line.ts';
import { type Caller, readHead, startJob, startMeasuredService } from './crawl/service.ts';

const HELP = `Archives a site whose pages need styles, an image, a script and what that one fetches, exports it as WACZ, stops the
site, and opens each page in ReplayWeb.page in a Chromium that reaches nothing but the viewer. Ends with 1 if a page lacks
anything. Takes about a minute. Starts the service with data of its own. Needs a Chromium.

Usage: node bench/web-archive.ts --viewer DIRECTORY [OPTIONS]

  --viewer DIR   the unpacked npm package replaywebpage: npm pack replaywebpage, tar xzf replaywebpage-*.tgz
  --validate P   program that checks the file as well: wacz, of the Python package of that name
  --help         print this text
`;

const options = readCommandLine(HELP, { viewer: required(directory()), validate: text(undefined) });

const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC',
  'base64',
);
const POLL_MS = 200;
const NAMES = ['one', 'two', 'three'];
const page = (name: string) => `<!doctype html><title>Page ${name}</title>
  <link rel="stylesheet" href="/style.css"><h1>Page ${name}</h1><img src="/image.png" alt="">
  <p id="data">nothing yet</p><script src="/script.js"></script>`;
const sent = (type: string, body: string | Buffer) => (_request: unknown, response: ServerResponse) =>
  void response.writeHead(200, { 'Content-Type': type }).end(body);

/** The site, whose pages are incomplete without what they load. */
const SITE = {
  ...Object.fromEntries(NAMES.map((name) => [`/${name}`, page(name)])),
  '/style.css': sent('text/css', 'h1 { color: rgb(1, 2, 3) }'),
  '/image.png': sent('image/png', IMAGE),
  '/script.js': sent(
    'text/javascript',
    "fetch('/data.json').then((r) => r.json()).then(({ value }) => { document.getElementById('data').textContent = value; });",
  ),
  '/data.json': sent('application/json', '{"value":"fetched by a script"}'),
};

await main();

async function main(): Promise<void> {
  const workDir = await mkdtemp(path.join(tmpdir(), 'winnow-web-archive-'));
  try {
    const file = path.join(workDir, 'site.wacz');
    const urls = await archive(file);
    if (options.validate) {
      const { stdout, stderr } = await promisify(execFile)(options.validate, ['validate', '-f', file]);
      console.log(`${options.validate}: ${`${stdout}${stderr}`.trim().split('\n').at(-1)}`);
    }
    await replay(file, urls);
  } finally {
    await rm(workDir, { recursive: true });
  }
}

/** Archives the site into a file. @returns the URLs of its pages, at which nothing answers any more */
async function archive(file: string): Promise<string[]> {
  await using site = await startPages(SITE);
  const { instance } = await startMeasuredService();
  try {
    const urls = NAMES.map((name) => `${site.url}/${name}`);
    const job = await startJob(instance, '/v2/batch/scrape', { urls, archive: true, waitFor: 1 });
    while ((await readHead(instance, job)).status === 'scraping') await sleep(POLL_MS);
    await writeFile(file, await download(instance, `${job}/export?format=wacz`));
    return urls;
  } finally {
    await instance.stop();
  }
}

async function download({ url, key }: Caller, resource: string): Promise<Buffer> {
  const response = await fetch(`${url}${resource}`, { headers: { Authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`${resource} answered ${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Opens the pages of an archive in the viewer. @throws Error if a page lacks anything */
async function replay(file: string, urls: string[]): Promise<void> {
  await using viewer = await serveViewer(file);
  const { path: executablePath } = await findChromium(readConfig());
  const browser = await chromium.launch({ executablePath });
  try {
    const tab = await browser.newPage();
    for (const url of urls) {
      await tab.goto(
        `${viewer.url}/?source=${encodeURIComponent('/site.wacz')}#view=pages&url=${encodeURIComponent(url)}`,
      );
      await requirePage(tab, url);
      console.log(
        `${new URL(url).pathname}: replayed with its style, image, script and what that has fetched`,
      );
    }
  } finally {
    await browser.close();
  }
}

/** Waits until the replayed page shows everything. */
async function requirePage(tab: Page, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const deadline = performance.now() + 30_000;
  for (;;) {
    const seen = await Promise.all(
      tab.frames().map((frame) =>
        frame
          .evaluate(() => ({
            title: document.querySelector('h1')?.textContent,
            colour: document.querySelector('h1') && getComputedStyle(document.querySelector('h1')!).color,
            image: document.querySelector('img')?.naturalWidth,
            data: document.querySelector('#data')?.textContent,
          }))
          .catch(() => undefined),
      ),
    );
    const found = seen.find((each) => each?.title === `Page ${name}`);
    if (found?.colour === 'rgb(1, 2, 3)' && found.image === 10 && found.data === 'fetched by a script')
      return;
    if (performance.now() > deadline) throw new Error(`${url} is replayed as ${JSON.stringify(seen)}`);
    await sleep(POLL_MS);
  }
}

/** Sends a file, or the range of it that the viewer asks for. */
async function sendFile(
  response: ServerResponse,
  { type, source, range = '' }: { type: string; source: string; range?: string | undefined },
): Promise<void> {
  const { size } = await stat(source);
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const start = first ? Number(first) : last ? size - Number(last) : 0;
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
  const isPart = range !== '';
  response.writeHead(isPart ? 206 : 200, {
    'Content-Type': type,
    'Content-Length': end - start + 1,
    'Accept-Ranges': 'bytes',
    'Service-Worker-Allowed': '/',
    ...(isPart && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  });
  await pipeline(createReadStream(source, { start, end }), response);
}

/** Serves the viewer and the archive. */
async function serveViewer(file: string) {
  const files: Record<string, [type: string, file: string]> = {
    '/ui.js': ['text/javascript', path.join(options.viewer, 'ui.js')],
    '/sw.js': ['text/javascript', path.join(options.viewer, 'sw.js')],
    '/replay/sw.js': ['text/javascript', path.join(options.viewer, 'sw.js')],
    '/site.wacz': ['application/wacz', file],
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://viewer');
    const [type, source] = files[pathname] ?? [];
    if (!source || !type) {
      if (pathname !== '/') return void response.writeHead(404).end();
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end('<!doctype html><script src="/ui.js"></script><replay-app-main></replay-app-main>');
      return;
    }
    sendFile(response, { type, source, range: request.headers.range }).catch((error) =>
      response.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
