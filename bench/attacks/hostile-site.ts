import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { every } from '../../src/system/every.ts';
import { listenOnNewPort } from '../../test/support/network/listen.ts';

/**
 * The main function of a thread that serves pages made to harm whoever reads them. It sends its origin to the
 * thread that started it.
 */

type Serve = (request: IncomingMessage, response: ServerResponse, rest: string) => void;

const LONG_LINKS = 500;
const LINK_CHARACTERS = 6_000;
const NODES = 200_000;
const DEPTH = 50_000;
const MARKS = 20_000;
const BOMB_MB = 200;
const CHUNK = Buffer.alloc(64 * 1024, 'x');
const DRIP_MS = 500;

const page = (body: string) => `<!doctype html><title>Page</title><main>${body}</main>`;
const once = (make: () => string | Buffer) => {
  let made: string | Buffer | undefined;
  return () => (made ??= make());
};

const longLinks = once(() =>
  page(
    Array.from(
      { length: LONG_LINKS },
      (_, n) => `<a href="/any/${n}/${'a'.repeat(LINK_CHARACTERS)}!">${n}</a>`,
    ).join(' '),
  ),
);
const manyNodes = once(() => page('<p>a<i>b</i>'.repeat(NODES / 2)));
const deepNodes = once(() => page(`${'<div>'.repeat(DEPTH)}deep${'</div>'.repeat(DEPTH)}`));
const bomb = once(() => gzipSync(Buffer.alloc(BOMB_MB * 1024 * 1024, '<p>a')));
const longText = once(() => page(`<p>${'a'.repeat(50_000)}!</p>`));
const table = once(() =>
  page(`<table>${`<tr>${'<td rowspan=1000 colspan=1000>x'.repeat(50)}`.repeat(200)}</table>`),
);

/** A line of markdown that looks like the beginning of a link or image at each place, and is another each time. */
const brackets = () => {
  changes += 1;
  return page(`<p>${changes} ${'!['.repeat(MARKS)}</p><p>${changes} ${']('.repeat(MARKS)}</p>`);
};
let changes = 0;

const html = (response: ServerResponse, body: string | Buffer) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(body);

/** Sends without an end, as fast as the reader takes it. */
function pour(response: ServerResponse, type: string, chunk: string | Buffer): void {
  response.writeHead(200, { 'Content-Type': type });
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

/** The pages by the first segment of their path. */
const PAGES: Record<string, Serve> = {
  links: (_, response) => html(response, longLinks()),
  nodes: (_, response) => html(response, manyNodes()),
  deep: (_, response) => html(response, deepNodes()),
  text: (_, response) => html(response, longText()),
  brackets: (_, response) => html(response, brackets()),
  table: (_, response) => html(response, table()),
  bomb: (_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }).end(bomb()),
  endless: (_, response) => pour(response, 'text/html', CHUNK),
  'robots.txt': (_, response) =>
    pour(response, 'text/plain', 'User-agent: *\nDisallow: /*a*a*a*a*b$\n'.repeat(1_000)),
  silent: () => undefined,
  drip(_, response) {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    const timer = every(DRIP_MS, () => void response.write('x'));
    response.once('close', () => clearInterval(timer));
  },
  redirect: (_, response, rest) =>
    response.writeHead(302, { Location: `/redirect/${Number(rest || 0) + 1}` }).end(),
  /** Every sitemap of this site names it, and it expands to a text without tags of sitemaps. */
  'sitemap.xml.gz': (_, response) =>
    response.writeHead(200, { 'Content-Type': 'application/gzip' }).end(bomb()),
  'sitemap.xml': (_, response) => sitemap(response, 0),
  sitemap: (_, response, rest) => sitemap(response, Number(rest)),
  busy: (_, response) => html(response, page('<p>Busy</p><script>for (;;);</script>')),
  memory: (_, response) =>
    html(
      response,
      page('<p>Memory</p><script>const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))</script>'),
    ),
  messages: (_, response) =>
    html(
      response,
      page(
        '<p>Messages</p><script>const { port1 } = new MessageChannel(); const bytes = new Uint8Array(2e7).fill(1); setInterval(() => port1.postMessage(bytes), 20)</script>',
      ),
    ),
  blobs: (_, response) =>
    html(
      response,
      page(
        '<p>Blobs</p><script>const all = []; setInterval(() => all.push(new Blob([new Uint8Array(2e7)])), 20)</script>',
      ),
    ),
  growing: (_, response) =>
    html(
      response,
      page(
        '<p>Growing</p><script>setInterval(() => { for (let n = 0; n < 1e4; n++) document.body.append(document.createElement("p")) }, 10)</script>',
      ),
    ),
  headers: (_, response) =>
    response
      .writeHead(200, {
        'Content-Type': 'text/html',
        'Set-Cookie': Array.from({ length: 100 }, (_e, n) => `c${n}=${'x'.repeat(100)}`),
      })
      .end(page('<p>Headers</p>')),
  /** A page that leads to two more, without an end. */
  trap: (_, response, rest) => {
    const n = Number(rest || 1) % 1e9;
    html(
      response,
      page(`<p>Page ${n}</p><a href="/trap/${2 * n}">on</a> <a href="/trap/${2 * n + 1}">on</a>`),
    );
  },
  plain: (_, response, rest) => html(response, page(`<p>The text of page ${rest.replace(/\W/g, '')}.</p>`)),
};

/** A list of sitemaps, each of which is such a list, and of pages. */
function sitemap(response: ServerResponse, from: number): void {
  const entries = Array.from(
    { length: 1_000 },
    (_, n) => `<sitemap><loc>http://${origin}/sitemap/${from * 10 + n + 1}</loc></sitemap>`,
  );
  response
    .writeHead(200, { 'Content-Type': 'application/xml' })
    .end(
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://${origin}/sitemap.xml.gz</loc></sitemap>${entries.join('')}</sitemapindex>`,
    );
}

const server = createServer((request, response) => {
  // A reader that leaves in the middle is usual here.
  response.on('error', () => undefined);
  const [, name = '', rest = ''] = (request.url ?? '/').split('?')[0]!.split('/');
  const serve = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  if (serve) serve(request, response, rest);
  else response.writeHead(404).end();
});
const origin = `127.0.0.1:${await listenOnNewPort(server)}`;
parentPort?.postMessage(`http://${origin}`);
