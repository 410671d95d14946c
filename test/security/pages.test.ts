import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { sampleOf } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { ALLOWED, expectSilence, heardOf, sightings } from './canary.ts';
import { type Aim, CLOSED, FORMS } from './forms.ts';
import { hostSpellings } from './spellings.ts';

/**
 * A page that may be fetched, whose browser is to be sent inside: all forms at once, each told by its path.
 */

const { port } = inject('canary');

const INSIDE = ['127.0.0.1', '[::1]', 'inside.test', 'mixed.test', 'localhost', '0.0.0.0'];
const ALL = Object.entries({ ...FORMS, ...CLOSED });
const markOf = (form: string) => `form-${ALL.findIndex(([name]) => name === form)}-`;
/** The marks of URLs that only HTTP headers of the page contain. */
const HEADER_MARKS = ['link-header', 'csp-report'];
/** Images, by the spelling of their host. Chromium loads none with a user's name in its URL. */
const IMAGES = hostSpellings(port).map((spell, index) => {
  const url = spell('1', '');
  const isLoaded = !url.includes('@') || url.includes('//@') || url.includes('//:@');
  return { url, mark: `/image-${index}-`, isLoaded };
});

const html = (body: string) =>
  `<!doctype html><html><head><title>Hostile</title></head><body>${body}</body></html>`;

function aimAt(form: string, host: string): Aim {
  const target = `${host}:${port}/${markOf(form)}`;
  const url = `http://${target}`;
  return { url, ws: `ws://${target}`, redirect: `/go?${new URLSearchParams({ to: url })}`, host, port };
}

let site: Pages;
beforeAll(async () => {
  site = await startPages(
    {
      '/forms': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        const host = searchParams.get('host') ?? '';
        const link = ['preload', 'preconnect'].map(
          (rel) => `<http://${host}:${port}/link-header>; rel=${rel}; as=fetch`,
        );
        response
          .writeHead(200, {
            'Content-Type': 'text/html',
            Link: link.join(', '),
            'Content-Security-Policy-Report-Only': `img-src 'none'; report-uri http://${host}:${port}/csp-report`,
            SourceMap: `http://${host}:${port}/source-map`,
          })
          .end(html(ALL.map(([name, form]) => form(aimAt(name, host))).join('\n')));
      },
      '/spellings': (request, response) => {
        const digit = request.url?.endsWith('1') ? '1' : '2';
        const images = hostSpellings(port).map(
          (spell, index) => `<img src="${spell(digit, `image-${index}-`)}">`,
        );
        response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html(images.join('')));
      },
      '/go': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        const status = Number(searchParams.get('status') ?? 302);
        response.writeHead(status, { Location: searchParams.get('to') ?? '' }).end();
      },
      '/xml': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        response.writeHead(200, { 'Content-Type': 'text/xml' }).end(searchParams.get('xml'));
      },
      '/service-worker.js': (request, response) => {
        const url = decodeURIComponent(request.url?.split('?')[1] ?? '');
        response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(`fetch('${url}')`);
      },
      '/embedded': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(searchParams.get('html'));
      },
      '/refresh': (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://site.test');
        response
          .writeHead(200, { 'Content-Type': 'text/html', Refresh: `0;url=${searchParams.get('to')}` })
          .end(html('Refreshing'));
      },
    },
    ALLOWED,
  );
});
afterAll(() => site[Symbol.asyncDispose]());

/** Opens a page and lets what it started come to its end. */
const open = (path: string, waitFor: number) =>
  scrape({
    url: `${site.url}${path}`,
    waitFor,
    maxAge: 0,
    timeout: 60_000,
    formats: ['rawHtml', 'markdown'],
  });

const inside = (mark: string) => sightings().filter(({ to, head }) => to !== ALLOWED && head.includes(mark));

describe('what a page loads is allowed from the allowed IP address only:', () => {
  beforeAll(async () => {
    const forms = [ALLOWED, ...sampleOf(INSIDE, 2)].map((host) => `/forms?host=${encodeURIComponent(host)}`);
    await Promise.all(
      [...forms, '/spellings?digit=1', '/spellings?digit=2'].map((path) => open(path, 2_000)),
    );
    // Chromium prefetches and reports when it has nothing else to do, which takes a busy machine longer.
    const loaded = IMAGES.filter(({ isLoaded }) => isLoaded).map(({ mark }) => mark);
    const awaited = [...Object.keys(FORMS).map(markOf), ...HEADER_MARKS, ...loaded];
    for (let visits = 0; visits < 15 && !awaited.every(heardOf); visits++)
      await Promise.all([forms[0]!, '/spellings?digit=2'].map((path) => open(path, 4_000)));
  }, 300_000);

  it.each(Object.keys(FORMS))('%s', (form) => {
    expect(heardOf(markOf(form))).toBe(true);
    expect(inside(markOf(form))).toEqual([]);
  });

  it.each(Object.keys(CLOSED))('%s', (form) => {
    expect(inside(markOf(form))).toEqual([]);
  });

  it.each(HEADER_MARKS)('what a header of the page names: %s', (mark) => {
    expect(heardOf(mark)).toBe(true);
    expect(inside(mark)).toEqual([]);
  });

  it.each(IMAGES)('an image at $url', ({ mark, isLoaded }) => {
    expect(heardOf(mark)).toBe(isLoaded);
    expect(inside(mark)).toEqual([]);
  });

  it('nothing else reaches the canary, by TCP or UDP', () => {
    expectSilence();
    expect(sightings().filter(({ to, head }) => to === 'udp' && !head.startsWith('control'))).toEqual([]);
  });
});

/** Scripts and markup that take the whole page away. */
const DEPARTURES: Record<string, (url: string) => string> = {
  'meta refresh': (url) => `<meta http-equiv="refresh" content="0;url=${url}">`,
  location: (url) => `<script>location = '${url}'</script>`,
  'location.replace': (url) => `<script>location.replace('${url}')</script>`,
  'a link': (url) => `<a id="link" href="${url}">x</a><script>link.click()</script>`,
  'a download': (url) => `<a id="link" download href="${url}">x</a><script>link.click()</script>`,
  'a form that gets': (url) => `<form id="form" action="${url}"></form><script>form.submit()</script>`,
  'a form that posts': (url) =>
    `<form id="form" method="post" action="${url}"><input name="a" value="b"></form><script>form.submit()</script>`,
  'a frame that takes the top': (url) =>
    `<iframe srcdoc="<script>top.location = '${url}'</script>"></iframe>`,
  'a script later': (url) => `<script>setTimeout(() => { location = '${url}' }, 100)</script>`,
  'a popup': (url) => `<script>window.open('${url}', '_self')</script>`,
  'the end of a page': (url) =>
    `<script>addEventListener('pagehide', () => navigator.sendBeacon('${url}')); location = '/embedded?html=x'</script>`,
};

/** Headers, for which markup does not do. */
const pathOf = (departure: string, url: string) =>
  departure === 'Refresh'
    ? `/refresh?${new URLSearchParams({ to: url })}`
    : `/embedded?${new URLSearchParams({ html: html(DEPARTURES[departure]!(url)) })}`;

describe.concurrent('a page does not reach a private IP address by', () => {
  it.each(sampleOf([...Object.keys(DEPARTURES), 'Refresh'], 4))('%s', async (departure) => {
    const mark = `leaving-${departure.replaceAll(' ', '-')}`;
    const leave = (host: string) => open(pathOf(departure, `http://${host}:${port}/${mark}`), 2_000);
    const [, ...answers] = await Promise.all([ALLOWED, '127.0.0.1', 'inside.test'].map(leave));
    await pollUntil(() => heardOf(mark));
    for (const { body } of answers) expect(body.data?.markdown ?? '').not.toContain('The canary sang');
    expectSilence();
  });
});
