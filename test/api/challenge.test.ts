import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, scrape } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';

/** Challenges: pages that test the visitor in the place of the requested page. */

const html = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
const CLOUDFLARE = html(
  'Just a moment...',
  '<h1>Verifying you are human</h1><script>window._cf_chl_opt = { cType: "managed" };</script>',
);
const STORY = 'The shop is open from nine to five, and on Saturdays until noon. '.repeat(10);

let pages: Pages;
beforeAll(async () => {
  pages = await startPages({
    '/cloudflare': CLOUDFLARE,
    '/frame': html(
      'Shop',
      '<iframe id="main-iframe" src="/_Incapsula_Resource?a=1" width="900" height="500"></iframe>',
    ),
    '/_Incapsula_Resource': html('', '<h1>Additional security check is required</h1>'),
    '/widget': html('Robot check', '<p>Please go on:</p><form><div class="g-recaptcha"></div></form>'),
    '/passes': html(
      'Just a moment...',
      `<p>Wait</p><script>window._cf_chl_opt = {};
        setTimeout(() => document.write('<title>Shop</title><main><p>${STORY}</p></main>'), 100);</script>`,
    ),
    '/contact': html(
      'Contact',
      `<main><h1>Write to us</h1><p>${STORY}</p><form><input name="mail"><textarea name="text"></textarea>
        <p>Please confirm that you are human:</p><div class="g-recaptcha"></div><button>Send</button></form></main>`,
    ),
    '/download': html(
      'Editor 2.0',
      `<main><h1>Download</h1><p>${STORY}</p><form><p>Please confirm that you are human:</p>
        <div class="g-recaptcha"></div><button>Download</button></form></main>`,
    ),
  });
});
afterAll(() => pages[Symbol.asyncDispose]());

const requestsFor = (path: string) => pages.requests.filter((request) => request.path === path).length;

describe('a challenge page that every engine gets', () => {
  it.each([
    ['/cloudflare', 'a challenge by cloudflare'],
    ['/frame', 'a challenge by imperva'],
    ['/widget', 'a captcha'],
  ])('fails the scrape: %s', async (path, what) => {
    const { status, body } = await scrape({ url: pages.url + path });
    expect(status).toBe(500);
    expect(body).toMatchObject({ success: false, code: 'SCRAPE_ALL_ENGINES_FAILED' });
    expect(body.error).toContain(what);
    expect(requestsFor(path)).toBe(2);
  });

  it('fails a scrape that needs the page in the browser', async () => {
    const { body } = await scrape({ url: `${pages.url}/cloudflare`, formats: ['screenshot'] });
    expect(body.code).toBe('SCRAPE_ALL_ENGINES_FAILED');
  });

  it('is not reported when the browser passes it', async () => {
    const { body } = await scrape({ url: `${pages.url}/passes` });
    expect(body.data.markdown).toContain('open from nine to five');
    expect(body.data.metadata).not.toHaveProperty('challenge');
    expect(body.data).not.toHaveProperty('warning');
  });
});

describe('a challenge page that only some engines got', () => {
  const challenged = {
    warning: expect.stringMatching(/a challenge by cloudflare instead of the page.*Leave fastMode out/),
    metadata: { statusCode: 200, challenge: 'cloudflare' },
  };

  it('is returned with a warning and metadata, and not cached', async () => {
    const request = { url: `${pages.url}/cloudflare`, fastMode: true };
    for (let times = 0; times < 2; times++) {
      const { body } = await scrape(request);
      expect(body.data).toMatchObject({ ...challenged, markdown: expect.stringContaining('Verifying') });
      expect(body.data.metadata.cacheState).toBe('miss');
    }
  });

  it('is not compared with earlier versions of the page', async () => {
    const formats = ['markdown', 'changeTracking'];
    const { body } = await scrape({ url: `${pages.url}/cloudflare`, fastMode: true, formats });
    expect(body.data).not.toHaveProperty('changeTracking');
    expect(body.data.warning).toContain('changeTracking was left out');
  });
});

describe('a page with its own content', () => {
  it('is returned and cached when a captcha protects one of its forms', async () => {
    const { body } = await scrape({ url: `${pages.url}/contact` });
    expect(body.data.markdown).toContain('open from nine to five');
    expect(body.data).not.toHaveProperty('warning');
    expect(body.data.metadata).not.toHaveProperty('challenge');
    const again = await scrape({ url: `${pages.url}/contact` });
    expect(again.body.data.metadata.cacheState).toBe('hit');
  });

  it('is returned with a warning when a captcha may hide the rest', async () => {
    const { body } = await scrape({ url: `${pages.url}/download` });
    expect(body.data).toMatchObject({
      markdown: expect.stringContaining('open from nine to five'),
      warning: expect.stringContaining('may have responded with a captcha instead of the requested page'),
      metadata: { challenge: 'captcha' },
    });
  });
});

it('pages of a batch report challenges as single scrapes do', async () => {
  const urls = ['/cloudflare', '/contact', '/download'].map((path) => pages.url + path);
  const id = await startJob('/v2/batch/scrape', { urls, maxAge: 0 });
  const done = await finished('/v2/batch/scrape', id);
  expect(done).toMatchObject({ status: 'completed', completed: 2, total: 3, creditsUsed: 2 });
  const single = await scrape({ url: `${pages.url}/download`, maxAge: 0 });
  for (const { warning, metadata } of done.data) {
    const isDownload = metadata.sourceURL.endsWith('/download');
    expect([warning, metadata.challenge]).toEqual(
      isDownload ? [single.body.data.warning, 'captcha'] : [undefined, undefined],
    );
  }
  const { body } = await call(`/v2/batch/scrape/${id}/errors`);
  expect(body.errors).toEqual([
    expect.objectContaining({
      url: `${pages.url}/cloudflare`,
      code: 'SCRAPE_ALL_ENGINES_FAILED',
      error: expect.stringContaining('a challenge by cloudflare'),
    }),
  ]);
});
