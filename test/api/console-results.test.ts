import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** How the playground shows results that are more than text: brands, pictures, changes, pages of errors. */

const PROSE = '<p>A tea from the hills, picked in spring and dried in the shade for many days.</p>';
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const service = useService();
const User = useConsole(service);
/** What the site was asked for as `/picture.png`: the headers of each request. */
const asked: Record<string, unknown>[] = [];
let price = 9;
let site: Pages;
beforeAll(async () => {
  site = await startPages({
    '/brand': `<!doctype html><title>Tea House</title><style>body{background:#fffdf5;color:#222222;font:16px Georgia}h1{color:#7c2d12}
      button{background:#7c2d12;color:#ffffff;border-radius:8px;padding:12px 24px;border:0}</style><main><h1>Tea</h1>${PROSE}<a href="/x">more</a> <button>Buy now</button></main>`,
    '/pictures': `<!doctype html><title>Pictures</title><main>${PROSE}<img src="/picture.png" alt="">
      <img src="javascript:globalThis.hasRun = true" alt=""></main>`,
    '/picture.png': ({ headers }, response) => {
      asked.push(headers);
      response.setHeader('Content-Type', 'image/png').end(PIXEL);
    },
    '/offer': (_, response) =>
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<!doctype html><title>Offer</title><main>${PROSE}<p>It costs ${price++} euros.</p></main>`),
    '/locked': (_, response) =>
      response
        .writeHead(403, { 'Content-Type': 'text/html' })
        .end(`<!doctype html><title>No</title><main>${PROSE}</main>`),
  });
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe.each(['light', 'dark'] as const)('in the theme %s, the playground', (theme) => {
  /** Scrapes a page of the site with more formats, and opens a tab of the result. */
  async function scrape(path: string, formats: string[], tab: string) {
    const user = await User.open('', { theme });
    for (const format of formats) await user.page.getByRole('button', { name: format, exact: true }).click();
    await user.scrape(`${site.url}${path}`);
    await user.page.getByRole('tab', { name: tab }).click();
    return user;
  }

  it('shows a brand as swatches and samples of type', async () => {
    await using user = await scrape('/brand', ['branding'], 'Branding');
    const { page } = user;
    const swatch = page.getByRole('listitem').filter({ hasText: 'background #fffdf5' }).locator('.swatch');
    expect(await swatch.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(255, 253, 245)',
    );
    const sample = page.getByText('The quick brown fox').last();
    expect(await sample.evaluate((element) => getComputedStyle(element).fontFamily)).toContain('Georgia');
    const button = page.locator('.component').first();
    expect(await button.evaluate((element) => getComputedStyle(element).borderRadius)).toBe('8px');
    expect(await findFaults(page)).toEqual([]);
    expect(user.errors).toEqual([]);
  });

  it('loads the pictures of a page when it is asked to, and tells their site nothing else', async () => {
    await using user = await scrape('/pictures', ['images'], 'Images');
    const { page } = user;
    const isForeign = (url: string) => !url.startsWith(service.url);
    expect(user.requests.filter(isForeign)).toEqual([]);
    const before = asked.length;
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Load the pictures' }).click();
    const picture = page.frameLocator('iframe.gallery').getByRole('img').first();
    await pollUntil(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth === 1));
    expect(user.requests.filter(isForeign)).toEqual([`${site.url}/picture.png`]);
    expect(asked.slice(before).map(({ referer, cookie }) => [referer, cookie])).toEqual([
      [undefined, undefined],
    ]);
    expect(await findFaults(page)).toEqual([]);
    expect(user.errors).toEqual([]);
  });

  it('shows the changes of a page line by line, and says what each state means', async () => {
    await using user = await scrape('/offer', ['changeTracking'], 'Changes');
    const { page } = user;
    const tracking = page.locator('details', { hasText: 'Options of changeTracking' });
    await tracking.locator('summary').click();
    await tracking.getByRole('button', { name: 'git-diff' }).click();
    await user.scrape(`${site.url}/offer`);
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByText('The page has changed.').waitFor();
    const diff = page.getByRole('region', { name: 'What changed' });
    expect(await diff.locator('ins').textContent()).toContain(`It costs ${price - 1} euros.`);
    expect(await diff.locator('del').textContent()).toContain(`It costs ${price - 2} euros.`);
    expect(await findFaults(page)).toEqual([]);
    expect(user.errors).toEqual([]);
  });

  it('says that a page is that of an error, and which requested format has nothing', async () => {
    await using user = await scrape('/locked', ['images'], 'Images');
    const { page } = user;
    await page.getByText('The site answered with HTTP 403 (Forbidden)').waitFor();
    await page.getByRole('tabpanel').getByText('There is none.').waitFor();
    await page.getByRole('tab', { name: 'Why' }).click();
    // A response that is an error has the colour of a failure.
    await page.locator('tr.refused').getByText('HTTP 403').first().waitFor();
    expect(await page.locator('tr.attempt').count()).toBe(0);
    expect(await findFaults(page)).toEqual([]);
  });
});
