import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrowsingContext } from '../../../src/fetch/browser/chromium/browsing-context.ts';
import type { Session } from '../../../src/fetch/browser/chromium/cdp.ts';
import type { VisitOptions } from '../../../src/fetch/browser/visit.ts';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';

/** Functions that only help to read a page, each of which throws there, and navigations that the network ends. */

const PAGE = `<!doctype html><title>Mill</title><body>
  <h1>Oak flour</h1><p>${'The stone of the mill turns in the loft. '.repeat(20)}</p>
  <p class="banner-ad">Buy now</p>
  <div id="onetrust-banner-sdk" style="position:fixed;bottom:0;height:240px" role="dialog">
    <p>We and our partners store information on your device.</p>
    <button id="onetrust-reject-all-handler" onclick="this.parentNode.style.display = 'none'">Reject</button>
  </div><script></script>`;
const ORIGIN = 'http://mill.example';
const THROWN = {
  result: { type: 'undefined' },
  exceptionDetails: { text: 'Uncaught', exception: { description: 'Error: the page broke' } },
};

let browser: TestBrowser;
let site: Pages;
beforeAll(async () => {
  browser = await startBrowser({ hosts: ['mill.example'], lists: '##.banner-ad' });
  site = await startPages({ '/': PAGE });
});
afterAll(async () => {
  await Promise.all([browser[Symbol.asyncDispose](), site[Symbol.asyncDispose]()]);
});

/**
 * Responds to some commands for the pages of a context.
 * @param respond returns the result of a command; without one, the browser gets the command
 */
function respondFor(
  context: BrowsingContext,
  respond: (method: string, params?: object) => object | undefined,
): BrowsingContext {
  return {
    ...context,
    async openPage() {
      const page = await context.openPage();
      const send = page.session.send.bind(page.session) as (method: string, params?: object) => unknown;
      const sendOrRespond = async (method: string, params?: object) =>
        respond(method, params) ?? send(method, params);
      return { ...page, session: Object.assign(page.session, { send: sendOrRespond as Session['send'] }) };
    },
  };
}

/** Lets code throw in the pages of a context if it has a text in it. */
const breakCode = (context: BrowsingContext, text: string) =>
  respondFor(context, (method, params) =>
    method.startsWith('Runtime.') && JSON.stringify(params).includes(text) ? THROWN : undefined,
  );

/** Visits the page while code throws in it that has the text; all of it works without a text. */
async function visitWithout(text: string | undefined, options: Partial<VisitOptions> = {}) {
  const logged: string[] = [];
  const logger = { warn: (_fields: object, message: string) => void logged.push(message) };
  const url = `${ORIGIN}:${new URL(site.url).port}/`;
  const { html = '', files } = await browser.visit(url, {
    blockAds: true,
    logger: logger as VisitOptions['logger'],
    ...(text && { changeContext: (context) => breakCode(context, text) }),
    ...options,
  });
  return { html, files, logged: [...new Set(logged)] };
}

const AD = 'Buy now';
const NOTICE = 'our partners';
const WITH_ADS = 'a page is read with its advertisements';
const WITH_NOTICE = 'a page is read with its cookie notice';
const FRAME_WITH_NOTICE = 'a frame is read with the cookie notices that it may show';

describe('a page is read when a function throws in it that', () => {
  it.each([
    ['measures its activity', 'MAX_REPEATS', ['a page is waited for by its requests alone'], []],
    [
      'looks for a placeholder',
      'LOADING_NAME',
      ['a page is read whether or not it shows only a placeholder'],
      [],
    ],
    ['collects the names in it', 'maxNames', [FRAME_WITH_NOTICE, WITH_ADS], [AD, NOTICE]],
    ['looks for words over it', 'isInOverlay', [FRAME_WITH_NOTICE], [NOTICE]],
    ['looks for notices by selectors', 'selectors.flatMap', [FRAME_WITH_NOTICE], [NOTICE]],
    ['looks for the functions of notices', '!!(globalThis.', [], []],
    ['rejects notices', 'autoconsent', [WITH_NOTICE], [NOTICE]],
    ['removes advertisements', 'blockedUrls', [WITH_ADS], [AD]],
  ])('%s', async (_what, text, consequences, left) => {
    const { html, logged } = await visitWithout(text);
    expect(html).toContain('Oak flour');
    expect(logged).toEqual(consequences);
    expect([AD, NOTICE].filter((each) => html.includes(each))).toEqual(left);
  });

  it.each([
    ['waits for its fonts', 'maxMs', 'a picture is taken without waiting for its fonts'],
    ['scrolls through it', 'windows * innerHeight', 'a picture is taken without what loads on scrolling'],
  ])('%s before a picture, which is taken', async (_what, text, consequence) => {
    const { files, logged } = await visitWithout(text, {
      collect: {
        screenshot: async (page) => ({
          bytes: await page.screenshot({ type: 'png', fullPage: true }),
          mediaType: 'image/png',
        }),
      },
    });
    expect(files.screenshot?.bytes.length).toBeGreaterThan(1_000);
    expect(logged).toEqual([consequence]);
  });
});

it('A page is read with its advertisements when the filter lists cannot be loaded', async () => {
  const adBlocker = { open: () => Promise.reject(new Error('the lists are broken')) };
  const { html, logged } = await visitWithout(undefined, { adBlocker });
  expect(logged).toEqual([WITH_ADS]);
  expect(html).toContain(AD);
  expect(html).not.toContain(NOTICE);
});

describe('a network that changes while a page is opened', () => {
  /** Visits the page while the network changes. @returns how often it was navigated to, and its HTML */
  async function visitWhile(changes: number) {
    let navigations = 0;
    const change = (method: string) =>
      method === 'Page.navigate' && ++navigations <= changes
        ? { frameId: '', errorText: 'net::ERR_NETWORK_CHANGED' }
        : undefined;
    const visit = browser.visit(`${ORIGIN}:${new URL(site.url).port}/`, {
      changeContext: (context) => respondFor(context, change),
    });
    const html = await visit.then((result) => result.html ?? '', String);
    return { navigations, html };
  }

  it('lets it be opened again', async () => {
    const { navigations, html } = await visitWhile(2);
    expect([navigations, html]).toEqual([3, expect.stringContaining('Oak flour')]);
  });

  it('fails the visit when it goes on', async () => {
    const { navigations, html } = await visitWhile(9);
    expect([navigations, html]).toEqual([3, expect.stringContaining('ERR_NETWORK_CHANGED')]);
  });
});
