import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VisitOptions } from '../../../src/fetch/browser/visit.ts';
import { scrape } from '../../support/api/call.ts';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { startPages } from '../../support/sites/pages.ts';
import { sampleOf } from '../../support/suite/corpus.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** Cookie notices, made up after the ways of the common ones: answered with no, and gone. */

const BAR =
  'style="position:fixed;bottom:0;left:0;right:0;height:240px;background:#fc0;z-index:9" role="dialog"';

/** Writes the answer to where the test reads it, as a site would send it. */
const ANSWER = `<script>
  function answered(word) { fetch('/answer/' + word, { method: 'POST' }); }
</script>`;

/** Stands in the document, hidden once it is answered. */
const ONE_TRUST = `<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" ${BAR}>
    <p>We and our partners store information on your device.</p>
    <button id="onetrust-accept-btn-handler" onclick="close_('accepted')">Accept All</button>
    <button id="onetrust-reject-all-handler" onclick="close_('rejected')">Reject All</button>
  </div></div><script>
    function close_(word) { answered(word); document.getElementById('onetrust-banner-sdk').style.display = 'none'; }
  </script>`;

/** Put in by a script a while after the page, spoken to by its functions. */
const COOKIEBOT = '<script src="/notice.js"></script>';
const COOKIEBOT_SCRIPT = `
  const dialog = document.createElement('div');
  window.Cookiebot = { hasResponse: false, declined: false, dialog: { visible: false },
    withdraw() { this.hasResponse = this.declined = true; answered('rejected'); },
    hide() { this.dialog.visible = false; dialog.style.display = 'none'; } };
  setTimeout(() => {
    dialog.innerHTML = '<div id="CybotCookiebotDialog" ${BAR}>This website uses cookies to personalise content.</div>';
    document.body.append(dialog);
    Cookiebot.dialog.visible = true;
  }, 300);`;

const bar = (buttons: string) => `<section class="x1-y2" ${BAR}>
    <p>We use cookies to improve your experience. Read our cookie policy.</p>${buttons}</section>`;
const UNKNOWN =
  bar(`<button onclick="answered('accepted'); this.closest('section').remove()">Accept all cookies</button>
    <button onclick="answered('rejected'); this.closest('section').remove()">Reject all cookies</button>`);
const ONLY_ACCEPT = bar(`<button onclick="answered('accepted')">Accept all cookies</button>`);

/** In a frame of another site, after the ways of Sourcepoint. */
const FRAMED = `<div id="sp_message_container_1" ${BAR}>
    <iframe src="http://frames.example:PORT/index.html?message_id=1&consentUUID=2&requestUUID=3&preload_message=true"></iframe>
  </div><script>
    addEventListener('message', ({ data }) => {
      answered(data);
      document.getElementById('sp_message_container_1').remove();
    });
  </script>`;
const FRAME = `<p>We value your privacy and use cookies.</p>
  <button class="sp_choice_type_11" onclick="parent.postMessage('accepted', '*')">Accept</button>
  <button class="sp_choice_type_13" onclick="parent.postMessage('rejected', '*')">Reject all</button>`;

const html = (notice: string) => `<!doctype html><html><head><title>Shop</title>${ANSWER}</head>
  <body><main><h1>Tea</h1><p>Green and black</p></main>${notice}</body></html>`;

const NOTICE_TEXT = /partners store|personalise content|improve your experience|value your privacy/;

async function startShop(notice: string) {
  const answers: string[] = [];
  const answer = (word: string) => ({
    [`/answer/${word}`]: (_request: unknown, response: { writeHead(status: number): { end(): void } }) => {
      answers.push(word);
      response.writeHead(204).end();
    },
  });
  const pages = await startPages({
    '/': (request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(html(notice.replace('PORT', request.headers.host?.split(':')[1] ?? ''))),
    '/bare': html(''),
    '/index.html': FRAME,
    '/notice.js': COOKIEBOT_SCRIPT,
    ...answer('accepted'),
    ...answer('rejected'),
  });
  return { ...pages, answers };
}

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser({ hosts: ['shop.example', 'frames.example'] });
});
afterAll(() => browser[Symbol.asyncDispose]());

const collect: VisitOptions['collect'] = {
  screenshot: async (page) => ({
    bytes: await page.screenshot({ type: 'png', fullPage: false }),
    mediaType: 'image/png',
  }),
};

/**
 * Visits shops with a notice until it is gone, and the shop has heard of so many answers: on a busy machine a
 * visit may end before the notice was answered.
 */
const lookUntilGone = (notice: string, expected: number) =>
  pollUntil(async () => {
    await using shop = await startShop(notice);
    const url = shop.url.replace('127.0.0.1', 'shop.example');
    const seen = await look(url, true);
    expect(shop.answers).not.toContain('accepted');
    return (
      !NOTICE_TEXT.test(seen.html) &&
      shop.answers.length >= expected && {
        seen,
        answers: shop.answers,
        pictureWithout: (await look(`${url}/bare`, true)).picture,
      }
    );
  });

async function look(url: string, blockAds: boolean) {
  const { html = '', files } = await browser.visit(url, { blockAds, collect, waitForMs: 500 });
  return { html, picture: Buffer.from(files.screenshot?.bytes ?? []).toString('base64') };
}

describe('a cookie notice', () => {
  const notices: [string, string, string[]][] = [
    ['that stands in the page', ONE_TRUST, ['rejected']],
    ['that comes late and is spoken to by functions', COOKIEBOT, ['rejected']],
    ['of a kind that no rule knows', UNKNOWN, ['rejected']],
    ['that can only be accepted', ONLY_ACCEPT, []],
    ['in a frame of another site', FRAMED, ['rejected']],
  ];

  it.each(sampleOf(notices, 2))('%s is removed and never accepted', async (_name, notice, answers) => {
    const { seen, answers: given, pictureWithout } = await lookUntilGone(notice, answers.length);
    expect(given).toEqual(answers);
    expect(seen.html).toContain('Green and black');
    expect(seen.html).not.toMatch(/<section|CybotCookiebotDialog|id="onetrust-banner|<iframe|autoconsent/);
    expect(seen.picture).toBe(pictureWithout);
  });

  it.each(sampleOf(notices, 2, 1))('%s stays when blockAds is false', async (_name, notice) => {
    await using shop = await startShop(notice);
    const url = shop.url.replace('127.0.0.1', 'shop.example');
    // A notice that comes late may come after the end of a visit on a busy machine.
    const seen = await pollUntil(async () => {
      const visit = await look(url, false);
      return NOTICE_TEXT.test(visit.html) && visit;
    });
    expect(shop.answers).toEqual([]);
    expect(seen.picture).not.toBe((await look(`${url}/bare`, false)).picture);
  });
});

describe('POST /v2/scrape', () => {
  it('leaves notices out of markdown unless blockAds is false', async () => {
    await using shop = await startShop(ONE_TRUST);
    const options = { url: shop.url, waitFor: 1, maxAge: 0, onlyMainContent: false };
    const markdown: string = await pollUntil(async () => {
      const { body } = await scrape(options);
      return !NOTICE_TEXT.test(body.data.markdown) && body.data.markdown;
    });
    expect(markdown).toContain('Green and black');
    expect((await scrape({ ...options, blockAds: false })).body.data.markdown).toMatch(NOTICE_TEXT);
  });
});
