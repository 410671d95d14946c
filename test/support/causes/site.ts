import type { IncomingMessage, RequestListener } from 'node:http';
import { textLines, writePdf } from '../../content/parsers/pdf/pdf-writer.ts';
import { startPages } from '../sites/pages.ts';
import { startTlsSite } from '../sites/tls-site.ts';
import { ARTICLE, type CauseSite, html } from './broken-request.ts';

const send =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);

/** A page that depends on the request. */
const dependingOn =
  (page: (request: IncomingMessage) => string): RequestListener =>
  (request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(page(request));

/** A page to which a script adds an article after a while, or only after hours. */
const late = (isHeld: boolean, body = ARTICLE) =>
  html(
    `<div id="app"></div><script>setTimeout(() => { document.getElementById('app').innerHTML = ${JSON.stringify(`<main>${body}</main>`)}; }, ${isHeld ? 9_000_000 : 1_500});</script>`,
  );

const line = (text: string) => ({ texts: textLines(72, 100, [text], 12) });
const PDF = writePdf([line('The first page of the report.'), line('The second page of the report.')]);
const SCAN = writePdf([line('The council met on Tuesday to discuss the winter timetable.')], {
  garbledText: true,
});
/** The smallest ZIP archive: one without a file. */
const ZIP = Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1');
const LOGO = `data:image/png;base64,${Buffer.alloc(600, 7).toString('base64')}`;

const links = (...paths: string[]) =>
  html(`<main>${ARTICLE}${paths.map((path) => `<a href="${path}">${path}</a> `).join('')}</main>`);
const article = html(`<main>${ARTICLE}</main>`);

/** Starts the site; its pages are named by what is special about them. */
export async function startCauseSite(): Promise<CauseSite> {
  const secure = await startTlsSite('self-signed');
  let versions = 0;
  const held = new Set<string>();
  const lateAt = (path: string, body?: string) => dependingOn(() => late(held.has(path), body));
  const site = await startPages({
    '/article': html(`<div class="post">${ARTICLE}</div><nav class="side-nav">Tickets Stations</nav>`),
    '/cached-article': html(`<div class="post">${ARTICLE}</div>`),
    '/short': html('<p class="note">Closed on Monday.</p>'),
    '/shop': html(
      `<main>${ARTICLE}</main><footer><p>Call us: 0800-555-4711</p><a href="/imprint">Imprint</a></footer>`,
    ),
    '/product': html(`<main><h1>Sledge</h1><p class="amount">49 EUR</p><p>${ARTICLE}</p></main>`),
    '/late': lateAt('/late'),
    '/later': lateAt('/later'),
    '/app': `${html('<div id="root"></div>')}<script>document.getElementById('root').innerHTML = ${JSON.stringify(`<main>${ARTICLE}</main>`)}</script>`,
    '/price': dependingOn(() =>
      html(`<main>${ARTICLE}<p>The ticket costs ${10 + versions++ * 2} EUR.</p></main>`),
    ),
    '/gone': send(404, html('<h1>Not found</h1>')),
    '/forbidden': send(403, html('<h1>Access denied</h1>')),
    '/busy': send(429, html('<h1>Too many requests</h1>')),
    '/down': send(503, html('<h1>Maintenance</h1>')),
    '/members': send(401, html('<h1>Members only</h1>'), { 'WWW-Authenticate': 'Basic realm="m"' }),
    '/account': send(302, '', { Location: '/login?next=/account' }),
    '/login': html(
      '<h1>Sign in</h1><form action="/session" method="post"><input name="user"><input type="password" name="password"><button>Sign in</button></form>',
    ),
    '/slow': (_request, response) => {
      setTimeout(() => send(200, article)(_request, response), 2_500);
    },
    '/silent': (request) => request.resume(),
    '/loop': send(302, '', { Location: '/loop' }),
    '/report.pdf': send(200, PDF, { 'Content-Type': 'application/pdf' }),
    '/scan.pdf': send(200, SCAN, { 'Content-Type': 'application/pdf' }),
    '/files.zip': send(200, ZIP, { 'Content-Type': 'application/zip' }),
    '/empty': html(''),
    '/pictures': html('<main><img src="/a.png"><img src="/b.png"></main>'),
    '/by-device': dependingOn((request) =>
      /Mobile/.test(request.headers['user-agent'] ?? '')
        ? html('<p>Get our app.</p>')
        : html(`<main>${ARTICLE}</main>`),
    ),
    '/by-agent': (request, response) =>
      /^curl/.test(request.headers['user-agent'] ?? '')
        ? send(403, html('<h1>Access denied</h1>'))(request, response)
        : send(200, article)(request, response),
    '/by-language': dependingOn((request) =>
      request.headers['accept-language']?.startsWith('de')
        ? '<html lang="de"><title>Bahn</title><main><h1>Fahrplan</h1><p>Der Winterfahrplan der Bergbahn beginnt am ersten Sonntag im Dezember.</p></main></html>'
        : article,
    ),
    '/reviews': html(
      `<main>${ARTICLE}<button onclick="document.getElementById('r').textContent = 'Anna: the best railway.'">Show reviews</button><div id="r"></div></main>`,
    ),
    '/captcha': send(
      200,
      html(
        '<h1>Are you a human?</h1><form><div class="g-recaptcha" data-sitekey="x"></div></form><script src="https://www.google.com/recaptcha/api.js"></script>',
      ),
    ),
    '/logo': html(`<main>${ARTICLE}<img alt="Logo" src="${LOGO}"></main>`),
    '/docs/': links('/docs/a', '/blog/b', '/blog/c'),
    '/docs/a': article,
    '/blog/b': article,
    '/blog/c': article,
    '/list': links('/list/1', '/list/2', '/list/3'),
    '/list/1': links('/list/1/deep'),
    '/list/1/deep': article,
    '/list/2': article,
    '/list/3': article,
    '/paged': links('/paged?page=2', '/paged?page=3'),
    '/elsewhere': links('http://localhost:9/a', 'http://localhost:9/b'),
    '/late-links/': lateAt(
      '/late-links/',
      `${ARTICLE}<a href="/late-links/2">Two</a> <a href="/late-links/3">Three</a>`,
    ),
    '/blog/post': html(
      `<article><div class="entry">${ARTICLE.repeat(2)}</div><div class="row"><table><tr><th>Fare</th><th>EUR</th></tr><tr><td>Day pass</td><td>40</td></tr><tr><td>Week pass</td><td>180</td></tr></table></div><section class="comments"><h2>Comments</h2><p>Anna: it was a lovely ride through the snow, thank you.</p></section></article>`,
    ),
    '/visit': html(
      `<main>${ARTICLE}</main><footer><h3>Opening hours</h3><p>Monday to Friday from nine to five</p></footer>`,
    ),
    '/removed': send(410, html('<h1>Gone</h1>')),
    '/fault': send(500, html('<h1>Internal error</h1>')),
    '/legal': send(451, html('<h1>Not available in your country</h1>')),
    '/mixed': `${html(`<main>${ARTICLE}<div id="quote"></div></main>`)}<script>document.getElementById('quote').innerHTML = '<p>The council promises snow until April for all visitors of the valley.</p>'</script>`,
    '/mixed-late': dependingOn(() =>
      html(
        `<main>${ARTICLE}<div id="quote"></div></main><script>setTimeout(() => { document.getElementById('quote').innerHTML = '<p>All visitors say that it is the best railway of the valley.</p>'; }, ${held.has('/mixed-late') ? 9_000_000 : 1_500})</script>`,
      ),
    ),
    '/hub': links('/private/x', '/hub/a.zip', '/fault', '/list/2'),
    '/feed': html(
      `<main>${ARTICLE}<p>Post one.</p><p>Post two.</p><div id="more"></div></main><script>addEventListener('scroll', () => { document.getElementById('more').textContent = 'Post three.'; })</script>`,
    ),
    '/robots.txt': send(200, 'User-agent: *\nDisallow: /private/', { 'Content-Type': 'text/plain' }),
    '/private/': article,
  });
  return {
    ...site,
    held,
    secureUrl: secure.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([site[Symbol.asyncDispose](), secure[Symbol.asyncDispose]()]);
    },
  };
}
