import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { appData, appPage } from './app.ts';
import { articlePage } from './article.ts';
import { CHARSET_PAGES } from './charset.ts';
import { pdf, png } from './files.ts';
import { libraryPage, linkPage, robots, sitemap, sitemapIndex } from './links.ts';
import { sentences } from './prose.ts';
import { seeded } from './random.ts';
import { FILL, SCRIPT_SHAPES, STATIC_SHAPES, shapePage } from './shapes.ts';

/** A request to a route. */
interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  /** The groups of the match with the route's pattern. */
  parts: string[];
  query: URLSearchParams;
  origin: string;
  /** Size of the link graph. */
  pages: number;
  /** Serves another path of the site in place of this one. */
  forward: (path: string) => void;
}

type Route = [pattern: RegExp, serve: (visit: Visit) => void];

const HTML = 'text/html; charset=utf-8';
const REDIRECTS = [301, 302, 307, 308];
const ENDLESS_CHUNK = `<p>${sentences(seeded(3), 40)}</p>\n`;
const DEEPEST = 100_000;

function send(response: ServerResponse, type: string, body: string | Buffer, status = 200): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length }).end(bytes);
}

const simple = (title: string, body: string) =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const INDEX = simple(
  'The Generated Times',
  `<ul>${['article/1', 'app/0', 'app/1', 'app/2', 'links/0', 'docs/1.pdf', 'data/1.json', 'text/1.txt', 'deep/200', 'redirect/3/article/1', 'meta-refresh', 'slow/500/article/1', 'status/404', 'charset/shift_jis', 'headers', 'cookies', 'image/1.png', 'sitemap-index.xml'].map((path) => `<li><a href="/${path}">${path}</a></li>`).join('')}</ul>`,
);

/** `/redirect/:hops/rest` redirects to `/rest` in this number of hops, each with a different status. */
function redirect({ response, parts: [hops, rest] }: Visit): void {
  const left = Number(hops);
  const location = left > 1 ? `/redirect/${left - 1}/${rest}` : `/${rest}`;
  response.writeHead(REDIRECTS[left % REDIRECTS.length] ?? 302, { Location: location }).end();
}

function slow({ response, forward, parts: [ms, rest] }: Visit): void {
  const timer = setTimeout(forward, Number(ms), `/${rest}`);
  response.on('close', () => clearTimeout(timer));
}

/** Sends HTML until the client disconnects. */
function endless({ response }: Visit): void {
  response.writeHead(200, { 'Content-Type': HTML });
  const more = () => {
    while (!response.destroyed && response.write(ENDLESS_CHUNK));
  };
  response.on('drain', more);
  more();
}

function status({ response, parts: [code = '200'] }: Visit): void {
  const title = `Status ${code}`;
  if (['204', '304'].includes(code)) response.writeHead(Number(code)).end();
  else send(response, HTML, simple(title, `<p>This page answers with status ${code}.</p>`), Number(code));
}

function charset({ response, parts: [label = ''] }: Visit): void {
  const page = CHARSET_PAGES[label];
  if (page) send(response, page.contentType, page.body);
  else send(response, HTML, simple('Not found', ''), 404);
}

function cookies({ request, response }: Visit): void {
  response.setHeader('Set-Cookie', ['visited=yes; Path=/', 'theme=dark; Path=/; HttpOnly']);
  send(
    response,
    HTML,
    simple('Cookies', `<p id="received">${escaped(request.headers.cookie ?? 'none')}</p>`),
  );
}

function links({ response, parts: [graph, digits], pages, origin }: Visit): void {
  const n = Number(digits);
  if (n < pages) send(response, HTML, graph === 'links' ? linkPage(n, pages) : libraryPage(n, pages, origin));
  else send(response, HTML, simple('Not found', '<p>The link graph ends before this page.</p>'), 404);
}

/** A page whose content is nested `n` elements deep. */
function deep({ response, parts: [n] }: Visit): void {
  const levels = Math.min(Number(n), DEEPEST);
  const body = `${'<div>'.repeat(levels)}<p>This text lies ${levels} levels deep.</p>${'</div>'.repeat(levels)}`;
  send(response, HTML, simple('Deep', body));
}

/** A page of a typical shape. `script` pages are empty until their scripts have run. */
function shape({ response, parts: [kind, name = '', n] }: Visit): void {
  const found = (kind === 'script' ? SCRIPT_SHAPES : STATIC_SHAPES)[name];
  if (found) send(response, HTML, shapePage(found, Number(n)));
  else send(response, HTML, simple('Not found', '<p>There is no such shape.</p>'), 404);
}

const TEXT = 'text/plain; charset=utf-8';
const XML = 'application/xml; charset=utf-8';

/** The routes of the site. The first pattern that matches is used. */
export const ROUTES: Route[] = [
  [/^\/$/, ({ response }) => send(response, HTML, INDEX)],
  [
    /^\/article\/(\d+)$/,
    ({ response, parts, origin }) => send(response, HTML, articlePage(Number(parts[0]), origin)),
  ],
  [
    /^\/app\/(\d+)$/,
    ({ response, parts, query }) => send(response, HTML, appPage(Number(parts[0]), delayOf(query))),
  ],
  [/^\/shapes\/fill\.js$/, ({ response }) => send(response, 'text/javascript', FILL)],
  [/^\/shapes\/(script|static)\/([\w-]+)\/(\d+)$/, shape],
  [
    /^\/api\/app\/(\d+)$/,
    ({ response, parts }) => send(response, 'application/json', JSON.stringify(appData(Number(parts[0])))),
  ],
  [/^\/(links|library)\/(\d+)$/, links],
  [/^\/docs\/(\d+)\.pdf$/, ({ response, parts }) => send(response, 'application/pdf', pdf(Number(parts[0])))],
  [
    /^\/data\/(\d+)\.json$/,
    ({ response, parts }) =>
      send(
        response,
        'application/json',
        JSON.stringify({ id: Number(parts[0]), name: `Record ${parts[0]}`, tags: ['generated', 'data'] }),
      ),
  ],
  [
    /^\/text\/(\d+)\.txt$/,
    ({ response, parts }) =>
      send(response, TEXT, `Text file ${parts[0]}.\n\n${sentences(seeded(Number(parts[0])), 20)}\n`),
  ],
  [/^\/image\/(\d+)\.png$/, ({ response, parts }) => send(response, 'image/png', png(Number(parts[0])))],
  [/^\/redirect\/(\d+)\/(.*)$/, redirect],
  [/^\/redirect-loop$/, ({ response }) => response.writeHead(302, { Location: '/redirect-loop' }).end()],
  [
    /^\/meta-refresh$/,
    ({ response }) =>
      send(
        response,
        HTML,
        '<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0; url=/article/1"><title>Moved</title></head><body><p>This page has moved.</p></body></html>',
      ),
  ],
  [/^\/slow\/(\d+)\/(.*)$/, slow],
  [/^\/status\/([2-5]\d\d)$/, status],
  [/^\/empty$/, ({ response }) => send(response, HTML, '')],
  [/^\/endless$/, endless],
  [/^\/reset$/, ({ request }) => request.socket.resetAndDestroy()],
  [/^\/charset\/([\w-]+)$/, charset],
  [
    /^\/headers$/,
    ({ request, response }) => send(response, 'application/json', JSON.stringify(request.headers)),
  ],
  [/^\/cookies$/, cookies],
  [/^\/deep\/(\d+)$/, deep],
  [
    /^\/private\/(.*)$/,
    ({ response }) => send(response, HTML, simple('Private', '<p>robots.txt asks not to come here.</p>')),
  ],
  [/^\/robots\.txt$/, ({ response, origin }) => send(response, TEXT, robots(origin))],
  [/^\/sitemap\.xml$/, ({ response, origin, pages }) => send(response, XML, sitemap(origin, pages))],
  [
    /^\/sitemap\.xml\.gz$/,
    ({ response, origin, pages }) => send(response, 'application/gzip', gzipSync(sitemap(origin, pages))),
  ],
  [/^\/sitemap-index\.xml$/, ({ response, origin }) => send(response, XML, sitemapIndex(origin))],
  [
    /^\/(topic|read|about|author)\/(\w+)$/,
    ({ response, parts }) =>
      send(response, HTML, simple(`${parts[0]} ${parts[1]}`, '<p>A page around the articles.</p>')),
  ],
];

const delayOf = (query: URLSearchParams) => (query.has('delay') ? Number(query.get('delay')) : undefined);

/** The response if no route matches. */
export const notFound = (response: ServerResponse) =>
  send(response, HTML, simple('Not found', '<p>The generated site has no such page.</p>'), 404);
