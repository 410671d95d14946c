import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { workflowUrls } from '../../src/api/console/workflow-urls.ts';
import { pageJobHosts } from '../../src/schemas/page-job.ts';
import { call } from '../support/api/call.ts';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { copyPages } from '../support/storage/copy-pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** A batch in the console: its documents, its pace over time, its events and its workflow. */

const service = useService();
const db = useDatabase();
const User = useConsole(service);
const PAGES = 100_000;
const FAILED = 2_000;
const PAGE =
  '<!doctype html><title>A tea of the hills</title><main><p>A tea that is picked in spring.</p></main>';

/** A batch of one page that has ended, of which the database then has as many copies as a large crawl has pages. */
async function makeLargeBatch(key: string, url: string, hook: string): Promise<string> {
  const body = { urls: [url], webhook: { url: hook, events: ['completed'] } };
  const { id } = (await call('/v2/batch/scrape', { url: service.url, key, body })).body;
  await pollUntil(async () => {
    const read = await call(`/v2/batch/scrape/${id}`, { url: service.url, key });
    return read.body.status === 'completed';
  });
  await copyPages(db, id, { pages: PAGES, failed: FAILED });
  return id;
}

it('a job with 100,000 documents has those on the screen in its page, and reads them as they are scrolled to', async () => {
  await using site = await startPages({ '/': PAGE, '/hook': (_, response) => response.end() });
  const { key } = await makeTeam(db);
  const id = await makeLargeBatch(key, `${site.url}/`, `${site.url}/hook`);
  const { body } = await call(`/v2/batch/scrape/${id}/hosts`, { url: service.url, key });
  const { progress } = pageJobHosts.parse(body);
  expect(progress).toHaveLength(61);
  expect([0, 30, 60].map((step) => progress[step]?.documents)).toEqual([1, 50_001, PAGES]);
  expect(Date.parse(progress[60]!.at) - Date.parse(progress[0]!.at)).toBe((PAGES - 1) * 5);

  await using user = await User.open(`/jobs/batch_scrape/${id}`, { key });
  const { page } = user;
  const list = page.getByRole('list', { name: 'Documents' });
  const rows = list.getByRole('button');
  await rows.first().getByText('A tea of the hills').waitFor();
  expect(await rows.count()).toBeLessThan(60);
  expect(await findFaults(page)).toEqual([]);

  await list.press('End');
  await rows.getByText('100,000', { exact: true }).waitFor();
  expect(await rows.count()).toBeLessThan(60);
  expect(await list.evaluate((element) => element.childElementCount)).toBeLessThan(60);
  const asked = user.requests.flatMap((url) => new URL(url).searchParams.get('skip') ?? []);
  expect(asked.map(Number).every((skip) => skip < 100 || skip > PAGES - 100)).toBe(true);
  await rows.last().click();
  await page.getByRole('region', { name: 'Document' }).getByText('picked in spring').waitFor();

  await page.getByLabel('URL contains').fill('HILL 99999');
  await page.getByRole('status').getByText('1 page', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('search')).toBe('HILL 99999');
  const found = page.getByRole('list', { name: 'Pages' }).getByRole('button');
  await found.getByText('/hill?copy=99999', { exact: true }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.getByLabel('State').selectOption('Failed');
  await page.getByText('No page of this job matches.').waitFor();
  await page.getByLabel('URL contains').fill('');
  await page.getByRole('button', { name: 'SCRAPE_TIMEOUT 1,000' }).click();
  await page.getByRole('status').getByText('1,000 pages').waitFor();
  expect(await findFaults(page)).toEqual([]);

  await page.locator('.state.completed.partly').getByText('Completed').waitFor();
  await page.getByRole('tab', { name: 'Pace' }).click();
  await page.getByRole('img', { name: 'at most 200.0 pages per second in one' }).waitFor();
  expect(await findFaults(page)).toEqual([]);

  await page.getByRole('tab', { name: 'Webhook events' }).click();
  const event = page.getByRole('row').filter({ hasText: 'batch_scrape.completed' });
  await event.getByText('delivered', { exact: true }).waitFor();
  const before = site.requests.length;
  await event.getByRole('button', { name: 'Send again: batch_scrape.completed' }).click();
  await pollUntil(() => site.requests.length > before);
  expect(await findFaults(page)).toEqual([]);

  const link = page.getByRole('link', { name: 'Open in Temporal' });
  expect(await link.getAttribute('href')).toMatch(
    new RegExp(`^http://127\\.0\\.0\\.1:\\d+/namespaces/default/workflows/batch%2F${id}$`),
  );
  expect(user.errors).toEqual([]);
});

it('a job is exported in each format, and as WACZ if it keeps what the sites sent', async () => {
  await using site = await startPages({ '/': PAGE });
  const { key } = await makeTeam(db);
  const open = async (body: object) => {
    const { id } = (await call('/v2/batch/scrape', { url: service.url, key, body })).body;
    const user = await User.open(`/jobs/batch_scrape/${id}`, { key });
    await user.page.getByText('Completed', { exact: true }).first().waitFor();
    return { id, user };
  };
  const { user: other } = await open({ urls: [`${site.url}/`] });
  const buttons = (page: typeof other.page) =>
    page.getByRole('group', { name: 'Export' }).getByRole('button');
  expect(await buttons(other.page).allInnerTexts()).toEqual(['JSON Lines', 'Parquet', 'WARC']);
  await other[Symbol.asyncDispose]();

  const { id, user } = await open({ urls: [`${site.url}/`], archive: true });
  await using _ = user;
  for (const [title, file] of [
    ['JSON Lines', `batch-${id}.jsonl`],
    ['WACZ', `batch-${id}.wacz`],
  ] as const) {
    const saving = user.page.waitForEvent('download');
    await buttons(user.page).filter({ hasText: title }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe(file);
    const content = readFileSync(await saved.path());
    if (title === 'WACZ') expect(content.subarray(0, 2).toString()).toBe('PK');
    else expect(JSON.parse(content.toString()).markdown).toContain('picked in spring');
  }
  expect(await findFaults(user.page)).toEqual([]);
  expect(user.errors).toEqual([]);
});

it('the workflows of jobs are linked only where their URL leads to them', () => {
  const local = { temporalUi: 'http://127.0.0.1:8233', temporalNamespace: 'a b' };
  expect(workflowUrls(local, 'localhost').crawl).toBe(
    'http://127.0.0.1:8233/namespaces/a%20b/workflows/crawl%2F',
  );
  expect(workflowUrls(local, 'winnow.example.com')).toEqual({});
  const shared = { ...local, temporalUi: 'https://temporal.example.com' };
  expect(workflowUrls(shared, 'winnow.example.com').agent).toMatch(
    /^https:\/\/temporal\.example\.com\/.*agent%2F$/,
  );
  expect(workflowUrls({ temporalUi: undefined, temporalNamespace: 'default' }, 'localhost')).toEqual({});
});
