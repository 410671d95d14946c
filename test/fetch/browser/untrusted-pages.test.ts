import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scrape } from '../../support/api/call.ts';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';
import { UNTRUSTED_PAGES } from '../../support/sites/untrusted-pages.ts';
import { sampleOf } from '../../support/suite/corpus.ts';

/** Pages that get in the way of the functions that run in them, scraped in the ways that run any there. */

const NAMES = Object.keys(UNTRUSTED_PAGES);
const FRAME = '<!doctype html><body><form><p>What the frame says.</p><input name="id"></form>';
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="30"><circle r="9" fill="red"/></svg>';
const TEXTS = [
  '# Oak flour',
  'shadow of the oak',
  'the slot shows',
  'the frame says',
  '9 euros',
  'come to its end',
];

const pathOf = (name: string, kind: 'hostile' | 'plain') => `/${name.replaceAll(' ', '-')}/${kind}`;

let site: Pages;
beforeAll(async () => {
  const pages = Object.entries(UNTRUSTED_PAGES).flatMap(([name, { hostile, plain }]) => [
    [pathOf(name, 'hostile'), hostile],
    [pathOf(name, 'plain'), plain],
  ]);
  site = await startPages({
    ...Object.fromEntries(pages),
    '/frame': FRAME,
    '/logo.svg': (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(LOGO),
  });
});
afterAll(() => site[Symbol.asyncDispose]());

/** Scrapes the page of a name with what is hostile on it, and without. */
async function scrapeBoth(name: string, options: Record<string, unknown>) {
  const scrapeOne = async (kind: 'hostile' | 'plain') => {
    const url = site.url + pathOf(name, kind);
    const { body } = await scrape({ url, maxAge: 0, onlyMainContent: false, ...options });
    expect(body, JSON.stringify(body)).toMatchObject({ success: true });
    return body.data;
  };
  const [hostile, plain] = await Promise.all([scrapeOne('hostile'), scrapeOne('plain')]);
  return { hostile, plain };
}

describe.each(NAMES)('a page with %s', (name) => {
  it('has the content of the page without them, and not its cookie notice', async () => {
    // On a busy machine the search for a notice may end at its time limit, and then the notice stays.
    await vi.waitFor(
      async () => {
        const { hostile, plain } = await scrapeBoth(name, { formats: ['markdown', 'links', 'images'] });
        for (const text of TEXTS) expect(hostile.markdown).toContain(text);
        expect(hostile.markdown).not.toContain('our partners');
        expect(hostile).toMatchObject({ markdown: plain.markdown, links: plain.links, images: plain.images });
      },
      { timeout: 60_000, interval: 500 },
    );
  });
});

const ACTIONS = [
  { type: 'wait', selector: '#more' },
  { type: 'click', selector: '#more' },
  { type: 'click', selector: '#field' },
  { type: 'write', text: 'Five sacks, please.' },
  { type: 'press', key: 'PageDown' },
  { type: 'scroll', direction: 'down' },
  { type: 'scroll', direction: 'down', selector: '#box' },
  { type: 'screenshot', fullPage: true },
  { type: 'scrape' },
  { type: 'executeJavascript', script: '1 + 1' },
  { type: 'pdf' },
];

describe.each(sampleOf(NAMES, 2))('a page with %s', (name) => {
  it('has the brand, the picture and the actions of the page without them', async () => {
    const picture = { type: 'screenshot', fullPage: true, still: true, mask: ['#more', 'form'] };
    const formats = ['markdown', 'branding', picture];
    const { hostile, plain } = await scrapeBoth(name, { formats, actions: ACTIONS });
    for (const text of ['Five sacks, please.', 'The button was clicked.'])
      expect(hostile.markdown).toContain(text);
    expect(hostile).toMatchObject({ markdown: plain.markdown, branding: plain.branding });
    expect(hostile.screenshot).toMatch(/^http/);
    const { screenshots, pdfs, scrapes, javascriptReturns } = hostile.actions;
    expect([screenshots.length, pdfs.length, scrapes.length]).toEqual([1, 1, 1]);
    expect(scrapes[0].html).toContain('Five sacks, please.');
    expect(javascriptReturns).toEqual([{ type: 'number', value: 2 }]);
  });
});

describe('a page whose advertisement the lists name', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser({ hosts: ['mill.example'], lists: '##.banner-ad' });
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  it.each(sampleOf(NAMES, 2))('is read without it, although it has %s', async (name) => {
    const url = `http://mill.example:${new URL(site.url).port}${pathOf(name, 'hostile')}`;
    const { html = '' } = await browser.visit(url, { blockAds: true });
    const shown = html.slice(0, html.indexOf('<script>'));
    expect(shown).toContain('come to its end');
    expect(shown).not.toMatch(/Buy now|our partners/);
  });
});
