import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIEWS } from '../../src/console/views.ts';
import { call } from '../support/api/call.ts';
import { finished } from '../support/api/jobs.ts';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { walkByTab } from '../support/browser/keyboard.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { sampleOf } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Every view of the console for people who use no pointer, no colours, or a screen reader. */

const service = useService();
const db = useDatabase();
const User = useConsole(service);
const ids: Record<string, string> = {};
let site: Pages;
let key: string;
let version = 0;
beforeAll(async () => {
  const page = () =>
    `<!doctype html><title>Tea</title><main><h1>Tea</h1><p>A tea that is picked in spring, the ${version}th of its kind.</p>
    <a href="/b">Another</a><img src="/a.png" alt="A picture"></main>`;
  const serve: RequestListener = (_, response) => response.setHeader('Content-Type', 'text/html').end(page());
  site = await startPages({ '/': serve, '/b': serve });
  ({ key } = await makeTeam(db));
  const send = async (path: string, body: object) => (await call(path, { url: service.url, key, body })).body;
  const url = `${site.url}/`;
  ids.url = url;
  const urls = [url, 'http://10.1.2.3/'];
  ids.scrape = (
    await send('/v2/scrape', { url, formats: ['markdown', 'links', 'images'] })
  ).data.metadata.scrapeId;
  ids.batch = (await send('/v2/batch/scrape', { urls, webhook: `${site.url}/hook` })).id;
  ids.crawl = (await send('/v2/crawl', { url })).id;
  const schedule = { text: 'daily at 9:00', timezone: 'UTC' };
  const targets = [{ type: 'scrape', urls: [url] }];
  ids.monitor = (await send('/v2/monitor', { name: 'Teas', schedule, targets })).data.id;
  for (version of [1, 2]) {
    ids.check = (await send(`/v2/monitor/${ids.monitor}/run`, {})).id;
    await pollUntil(async () => {
      const { body } = await call(`/v2/monitor/${ids.monitor}`, { url: service.url, key });
      return body.data.currentCheckId === null;
    });
  }
  await finished('/v2/batch/scrape', ids.batch ?? '', { url: service.url, key });
  await finished('/v2/crawl', ids.crawl ?? '', { url: service.url, key });
});
afterAll(() => site?.[Symbol.asyncDispose]());

/** The views, with the places of ids in their paths. */
const PATHS = [
  '/',
  '/try/crawl',
  '/try/parse',
  '/try/agent',
  '/jobs',
  '/jobs/scrape/:scrape',
  '/jobs/batch_scrape/:batch',
  '/jobs/crawl/:crawl',
  '/monitors',
  '/monitors/:monitor',
  '/monitors/:monitor/page?url=:url',
  '/monitors/:monitor/checks/:check',
  '/sessions',
  '/usage',
  '/webhooks',
  '/operator',
  '/operator/teams/default',
  '/no-such-view',
];

it('are all views of the console', () => {
  const tested = (pattern: RegExp) =>
    PATHS.some((path) => pattern.test(path.replaceAll(':', '').replace(/\?.*/, '')));
  expect(VIEWS.filter(({ path }) => !tested(path)).map(({ title }) => title)).toEqual([]);
});

/** Opens a view, and waits for what it reads. */
async function open(path: string) {
  const user = await User.open(
    path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(ids[name] ?? '')),
    { key },
  );
  const adminKey = readFileSync(join(service.dataDir, 'admin-key'), 'utf8').trim();
  if (path.startsWith('/operator')) {
    await user.page.evaluate((value) => sessionStorage.setItem('winnow-admin-key', value), adminKey);
    await user.page.reload();
  }
  await settle(user.page);
  return user;
}

const settle = (page: Page) =>
  pollUntil(
    async () =>
      (await page.locator('main :is(h1, form, table)').count()) > 0 &&
      (await page.locator('main .waiting').count()) === 0,
  );

/** Opens everything of a page that opens where it stands. */
async function openParts(page: Page): Promise<void> {
  const closed = page.locator('main :is(details:not([open]) > summary, [aria-expanded="false"]):visible');
  // What opens may have parts of its own; those of a long tree are alike.
  for (let opened = 0; opened < 30 && (await closed.count()) > 0; opened++) await closed.first().click();
  await settle(page);
}

describe.each(sampleOf(PATHS, 3))('the view %s', (path) => {
  it('has no fault that axe-core finds in any of its parts, in light and dark colours', async () => {
    await using user = await open(path);
    const { page } = user;
    const check = async () => {
      await openParts(page);
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await findFaults(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect([...light, ...(await findFaults(page, 'color-contrast'))]).toEqual([]);
    };
    await check();
    const tabs = page.locator('main [role="tab"]');
    for (let index = 1; index < (await tabs.count()); index++) {
      await tabs.nth(index).click();
      await settle(page);
      await check();
    }
    expect(user.errors).toEqual([]);
  });

  it('is gone through by the keyboard in the order of its text, and shows where the focus is', async () => {
    await using user = await open(path);
    const { reached, ...faults } = await walkByTab(user.page);
    expect(faults).toEqual({ missed: [], misplaced: [], hidden: [] });
    expect(reached).toBeGreaterThan(8);
    expect(user.errors).toEqual([]);
  });
});

it('by the keyboard, one skips to the content, follows links, and closes the list of shortcuts where one was', async () => {
  await using user = await open('/jobs');
  const { page } = user;
  const focused = () =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await pollUntil(async () => (await focused()) === 'view');
  expect(new URL(page.url()).pathname).toBe('/console/jobs');
  const job = page.getByRole('table').getByRole('link').first();
  await job.focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor({ state: 'hidden' });
  expect(await job.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/jobs\/\w+\//);
  // The link is gone, and the next key begins in the view that it led to.
  await pollUntil(async () => (await focused()) === 'view');
});
