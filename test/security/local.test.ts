import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { sampleOf } from '../support/suite/corpus.ts';
import { ALLOWED, expectSilence } from './canary.ts';

/** Pages that want files of this machine, or the browser's own pages. */

const { port } = inject('canary');
const SECRET = 'the contents of a file';

/** Each file tells the site that it was loaded. */
const leaks = (site: string): Record<string, string> => ({
  'leak.html': `${SECRET}<script>fetch('${site}/leaked-html', { mode: 'no-cors' })</script>`,
  'leak.js': `fetch('${site}/leaked-js', { mode: 'no-cors' })`,
  'leak.css': `body { background: url(${site}/leaked-css) }`,
  'leak.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="77" height="77"/>`,
  'leak.txt': SECRET,
});

const LOADING = (base: string) => `<body><p id="found"></p><script>
  const found = (text) => fetch('/leaked-' + text);
  for (const url of ['${base}/leak.txt', '${base}/leak.html']) {
    fetch(url).then((answer) => answer.text()).then(() => found('fetch'), () => 0);
    fetch(url, { mode: 'no-cors' }).then(() => found('no-cors'), () => 0);
    const xhr = new XMLHttpRequest();
    xhr.onload = () => found('xhr');
    xhr.open('GET', url);
    xhr.send();
    window.open(url);
  }
  const image = new Image();
  image.onload = () => found('image');
  image.src = '${base}/leak.svg';
  try { new Worker('${base}/leak.js') } catch {}
  import('${base}/leak.js').then(() => found('import'), () => 0);
</script>
<script src="${base}/leak.js"></script><link rel="stylesheet" href="${base}/leak.css">
<iframe src="${base}/leak.html"></iframe><object data="${base}/leak.html"></object><embed src="${base}/leak.html">
<a id="link" href="${base}/leak.html" target="_blank">x</a><script>link.click()</script>`;

let directory: string;
let site: Pages;
beforeAll(async () => {
  // Beside the data, where anybody may read: only the browser's own rules keep pages out.
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-leak-'));
  const pages: Parameters<typeof startPages>[0] = {
    '/': (request, response) => {
      const { searchParams } = new URL(request.url!, 'http://site.test');
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(searchParams.get('html'));
    },
  };
  site = await startPages(pages, ALLOWED);
  const types = {
    html: 'text/html',
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
    txt: 'text/plain',
  };
  for (const [name, text] of Object.entries(leaks(site.url))) {
    await writeFile(path.join(directory, name), text, { mode: 0o644 });
    const type = types[name.split('.')[1] as keyof typeof types]; // the names are written above
    pages[`/leaks/${name}`] = (_request, response) =>
      response.writeHead(200, { 'Content-Type': type }).end(text);
  }
  await chmod(directory, 0o755);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const open = (html: string, options: Record<string, unknown> = {}) =>
  scrape({
    url: `${site.url}/?${new URLSearchParams({ html })}`,
    waitFor: 1_000,
    maxAge: 0,
    formats: ['rawHtml', 'markdown'],
    ...options,
  });
const leaked = () => [
  ...new Set(site.requests.map(({ path }) => path).filter((each) => each.startsWith('/leaked-'))),
];

describe('files of the machine', () => {
  it('are not loaded by any element or script of a page', async () => {
    const { body } = await open(LOADING(pathToFileURL(directory).href));
    expect(body.success, JSON.stringify(body)).toBe(true);
    expect(leaked()).toEqual([]);
  });

  it('would be noticed if they were loaded, as those of the site are', async () => {
    // A page on a busy machine may be closed before it has loaded everything.
    await expect
      .poll(async () => {
        await open(LOADING('/leaks'), { waitFor: 3_000 });
        return leaked().sort();
      })
      .toEqual(
        ['css', 'fetch', 'html', 'image', 'import', 'js', 'no-cors', 'xhr'].map((each) => `/leaked-${each}`),
      );
  });
});

/** Where a page may try to go; `LEAK` is a file that anybody may read. */
const PLACES = [
  'file:LEAK', 'FILE://LEAK', 'file://localhostLEAK', 'view-source:file://LEAK', 'filesystem:file://LEAK', 'view-source:http://127.0.0.1:PORT/',
  'chrome://version', 'chrome://gpu', 'chrome://net-export', 'chrome://settings', 'chrome-untrusted://print', 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html',
  'devtools://devtools/bundled/devtools_app.html', 'about:version', 'about:blank', 'about:srcdoc', 'data:text/html,<img src=http://127.0.0.1:PORT/>',
  'javascript:fetch("http://127.0.0.1:PORT/")', 'blob:null/x', 'ftp://127.0.0.1:PORT/', 'mailto:a@b.test', 'intent://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/',
]; // biome-ignore format: a table

/** Enough text that the browser does not wait for scripts to fill the page. */
const TEXT = `<main>Still here: ${'a page with text that is there from the start. '.repeat(3)}</main>`;

const WAYS: Record<string, (place: string) => string> = {
  location: (place) => `<script>location = ${JSON.stringify(place)}</script>`,
  'window.open': (place) => `<script>window.open(${JSON.stringify(place)})</script>`,
  'meta refresh': (place) => `<meta http-equiv="refresh" content="0;url=${place.replaceAll('"', '&quot;')}">`,
  'a link, a form and a frame': (place) => {
    const quoted = place.replaceAll('"', '&quot;');
    return `<iframe src="${quoted}"></iframe><a id="link" download href="${quoted}">x</a>
      <form id="form" method="post" action="${quoted}"></form><script>link.click(); form.submit()</script>`;
  },
};

/** Every way to every place in a full run; in a sample each place is tried by one of the ways. */
const ATTEMPTS = Object.keys(WAYS).flatMap((way, index) =>
  sampleOf(PLACES, Object.keys(WAYS).length, index).map((place) => [way, place] as const),
);

describe.concurrent('a page that leaves', () => {
  it.each(ATTEMPTS)('by %s to %j returns nothing of the target', async (way, place) => {
    const target = place.replace('LEAK', path.join(directory, 'leak.html')).replace('PORT', String(port));
    const { body } = await open(TEXT + WAYS[way]!(target), { waitFor: 200, timeout: 50_000 });
    // The browser may have left for what it cannot open.
    if (!body.success) expect(body, JSON.stringify(body)).toMatchObject({ code: 'SCRAPE_SITE_ERROR' });
    else expect(body.data.metadata.url).toMatch(/^(http|about:blank)/);
    const found = JSON.stringify(body);
    expect(found).not.toContain(SECRET);
    expect(found).not.toContain('The canary sang');
    expectSilence();
  });
});

it.each(['mailto:a@b.test', 'intent://a.test/'])(
  'a page that goes to %j is read all the same',
  async (place) => {
    const { body } = await open(TEXT + WAYS.location!(place));
    expect(body.data?.markdown, JSON.stringify(body)).toContain('Still here');
  },
);
