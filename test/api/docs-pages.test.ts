import axe from 'axe-core';
import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { useService } from '../support/service/use-service.ts';

/** The pages below /docs, as their readers have them: in a real browser. */

const service = useService();
let browser: Browser;
beforeAll(async () => {
  const { path: executablePath } = await findChromium(readConfig());
  browser = await chromium.launch({
    executablePath,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
  });
});
afterAll(() => browser?.close());

async function open(path: string, { theme = 'light' as 'light' | 'dark', width = 1280 } = {}) {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 800 } });
  // The timeout of the test ends it; a busy machine takes its time.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(service.url + path);
  return { page, requests, [Symbol.asyncDispose]: () => context.close() };
}

describe.each(['light', 'dark'] as const)('in %s colours', (theme) => {
  it.each(['/docs/guides', '/docs/guides/crawl', '/docs/search?q=webhook', '/docs/'])(
    '%s has no fault that axe-core finds, fits a phone, and asks nobody else',
    async (path) => {
      await using opened = await open(path, { theme, width: 360 });
      const { page, requests } = opened;
      await page.getByRole('link', { name: 'Guides', exact: true }).first().waitFor();
      if (path === '/docs/') await page.locator('.opblock').first().waitFor();
      // Swagger UI makes the reference, which has faults of its own.
      const { violations } = (await page.evaluate(
        `${axe.source}; axe.run({ exclude: ['#swagger-ui'] })`,
      )) as axe.AxeResults;
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
      if (path !== '/docs/')
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      expect(requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
    },
  );
});

it('a search leads from any page to sections of guides, operations and error codes', async () => {
  await using opened = await open('/docs/guides/crawl');
  const { page } = opened;
  const search = async (words: string) => {
    await page.getByRole('searchbox').fill(words);
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    return page.locator('.results a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  };
  expect(await search('verify the signature of a webhook')).toContainEqual(
    expect.stringMatching(/^\/docs\/guides\/webhooks#/),
  );
  expect(await search('params-preview')).toContainEqual(expect.stringMatching(/^\/docs\/guides\/api#/));
  expect(await search('SCRAPE_TIMEOUT')).toContainEqual(expect.stringMatching(/^\/docs\/guides\/errors#/));
  await page.locator('.results a').first().click();
  await page.getByRole('navigation', { name: 'Other guides' }).waitFor();
});

it('a search that finds nothing says so, and shows the words as they are', async () => {
  const words = '<img src=x onerror=alert(1)> "zzqqx"';
  await using opened = await open(`/docs/search?q=${encodeURIComponent(words)}`);
  await opened.page.getByText(`Nothing is known of ${words}`).waitFor();
  expect(await opened.page.locator('main img').count()).toBe(0);
  expect(await opened.page.getByRole('searchbox').inputValue()).toBe(words);
});

it('the guides lead from one to the next, and to their sections', async () => {
  await using opened = await open('/docs/guides');
  const { page } = opened;
  await page.getByRole('main').getByRole('link', { name: 'Crawl a site' }).click();
  await page.getByRole('heading', { level: 1, name: 'Crawl a site' }).waitFor();
  await page.getByRole('link', { name: 'Include and exclude paths' }).first().click();
  expect(page.url()).toMatch(/#include-and-exclude-paths$/);
  await page.getByRole('navigation', { name: 'Other guides' }).getByRole('link').last().click();
  await page.waitForURL((url) => !url.pathname.endsWith('/crawl'));
});

it('the endpoints that a guide names lead to their descriptions', async () => {
  await using opened = await open('/docs/guides/crawl');
  const { page } = opened;
  const links = page.getByRole('main').locator('a:has(code)');
  expect(await links.count()).toBeGreaterThan(5);
  await links
    .filter({ hasText: /^POST \/v2\/crawl$/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 2, name: 'POST /v2/crawl', exact: true }).waitFor();
  expect(page.url()).toMatch(/\/docs\/guides\/api#post-v2-crawl$/);
});

it('the reference has its operations below the header', async () => {
  await using opened = await open('/docs/');
  await opened.page.locator('#swagger-ui').getByText('/v2/scrape', { exact: true }).first().waitFor();
});
