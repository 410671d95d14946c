import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordModelCall } from '../../src/storage/db/teams/model-calls.ts';
import { addPageCounts } from '../../src/storage/db/teams/page-usage.ts';
import { call } from '../support/api/call.ts';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** What the console shows of the account: sessions with their events and profiles, usage, and to operators the load. */

const service = useService();
const db = useDatabase();
const User = useConsole(service);

it('the events of a session are beside its live view, and its profile is listed with size and last use', async () => {
  await using site = await startPages({
    '/': '<!doctype html><title>Tea</title><script>console.log("<b>brewed</b>"); document.cookie = "a=b; max-age=9999"</script>',
  });
  const { key } = await makeTeam(db);
  const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
    call(path, { url: service.url, key, ...options });
  const body = { recordSession: true, profile: { name: 'shop <i>' } };
  const { id } = (await ask('/v2/browser', { body })).body;
  await ask(`/v2/browser/${id}/execute`, { body: { code: `await page.goto('${site.url}/')` } });
  await using user = await User.open(`/jobs/browser/${id}`, { key });
  const { page } = user;
  const events = page.getByRole('region', { name: 'Events' });
  await events.getByText('log: <b>brewed</b>').waitFor();
  await events.getByText(`${site.url}/`).waitFor();
  expect(await findFaults(page)).toEqual([]);
  const lines = (path: string) =>
    fetch(service.url + path, { headers: { Authorization: `Bearer ${key}` } }).then((read) => read.text());
  const whole = (await lines(`/v2/browser/${id}/replay`)).split('\n');
  const light = (await lines(`/v2/browser/${id}/replay?frames=false`)).split('\n');
  expect(whole.some((line) => line.includes('"type":"frame"'))).toBe(true);
  expect(light).toEqual(
    expect.arrayContaining(whole.filter((line) => line && !line.includes('"type":"frame"'))),
  );
  expect(light.some((line) => line.includes('"type":"frame"'))).toBe(false);

  await ask(`/v2/browser/${id}`, { method: 'DELETE' });
  await page.getByRole('link', { name: 'Sessions' }).click();
  const row = page
    .getByRole('region', { name: 'List of profiles' })
    .getByRole('row')
    .filter({ hasText: 'shop <i>' });
  await row.waitFor();
  const { data } = (await ask('/v2/browser/profiles')).body;
  expect(data).toEqual([
    {
      name: 'shop <i>',
      bytes: expect.any(Number),
      createdAt: expect.any(String),
      savedAt: expect.any(String),
      lastUsedAt: expect.any(String),
    },
  ]);
  expect(data[0].bytes).toBeGreaterThan(0);
  expect((await ask('/v2/interact/profiles')).body.data).toEqual(data);
  const { key: stranger } = await makeTeam(db);
  expect((await call('/v2/browser/profiles', { url: service.url, key: stranger })).body.data).toEqual([]);
  expect(await findFaults(page)).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await row.getByRole('button', { name: 'Delete shop <i>' }).click();
  await row.waitFor({ state: 'detached' });
  expect(user.errors).toEqual([]);
});

it('runs code in the browser of a session, shows what became of it, lets the session live longer and ends it', async () => {
  await using site = await startPages({ '/': '<!doctype html><title>Tea &amp; <i>milk</i></title>' });
  const { key } = await makeTeam(db);
  const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
    call(path, { url: service.url, key, ...options });
  const { id, expiresAt } = (await ask('/v2/browser', { body: { ttl: 300 } })).body;
  await using user = await User.open(`/jobs/browser/${id}`, { key });
  const { page } = user;
  const code = page.getByRole('region', { name: 'Run code' });
  const run = async (language: string, text: string) => {
    await code.getByRole('button', { name: language }).click();
    await code.getByRole('textbox').fill(text);
    await code.getByRole('button', { name: 'Run' }).click();
  };
  await run('JavaScript', `await page.goto('${site.url}/'); await page.title()`);
  await code.getByText('Tea & <i>milk</i>').waitFor();
  await code.getByText('succeeded').waitFor();
  await run('Python', 'raise ValueError("<b>no</b>")');
  await code.getByText('failed with exit code 1').waitFor();
  await code.getByText('<b>no</b>').first().waitFor();
  await run('Bash', 'echo $((6 * 7))');
  await code.getByText('42').first().waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Let it live longer' }).click();
  await expect.poll(async () => (await ask(`/v2/browser/${id}`)).body.expiresAt > expiresAt).toBe(true);
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByText(/^The session has ended/).waitFor();
  expect(await findFaults(page)).toEqual([]);
  expect(user.errors).toEqual([]);
});

it('goes on with a scrape in a browser by code, also where the code fails', async () => {
  await using site = await startPages({
    '/': '<!doctype html><title>Tea</title><main><p>A tea of the hills that is picked in spring.</p></main>',
  });
  const { key } = await makeTeam(db);
  const scraped = await call('/v2/scrape', { url: service.url, key, body: { url: `${site.url}/` } });
  await using user = await User.open(`/jobs/scrape/${scraped.body.data.metadata.scrapeId}`, { key });
  const { page } = user;
  const code = page.getByRole('region', { name: 'Run code' });
  await code.getByRole('button', { name: 'JavaScript' }).click();
  await code
    .getByRole('textbox')
    .fill("console.log('on ' + (await page.title())); throw new Error('enough')");
  await code.getByRole('button', { name: 'Run' }).click();
  await code.getByText('on Tea').waitFor();
  await code.getByText('failed with exit code 1').waitFor();
  await code.getByRole('link', { name: 'Watch its browser' }).click();
  await page.getByRole('heading', { name: /^Interact/ }).waitFor();
  await page.getByTitle('Live view of the session').waitFor();
  expect(user.errors).toEqual([]);
});

it('the tokens of language models are counted by day beside the credits, and by hour and key, in plots and CSV', async () => {
  await using site = await startPages({ '/': '<p>A tea of the hills.</p>' });
  const { key, id: teamId } = await makeTeam(db, { modelTokensPerDay: 5_000 });
  const scraped = await call('/v2/scrape', { url: service.url, key, body: { url: `${site.url}/` } });
  const of = { teamId, jobId: scraped.body.data.metadata.scrapeId, feature: 'summary', model: 'm', ms: 1 };
  for (const promptTokens of [1_000, 200])
    await recordModelCall(db, { ...of, promptTokens, outputTokens: 34, outcome: 'ok' });
  const { body } = await call('/v2/team/model-usage', { url: service.url, key });
  const date = new Date().toISOString().slice(0, 10);
  expect(body).toEqual({ success: true, data: { tokensPerDay: 5_000, days: [{ date, tokens: 1_268 }] } });
  await using user = await User.open('/usage', { key });
  const { page } = user;
  await page.getByRole('img', { name: '60 periods, at most 1,268 tokens in one' }).waitFor();
  await page.getByText('of 5,000').waitFor();
  const csv = await page.getByRole('link', { name: 'CSV of all' }).getAttribute('href');
  // Days without usage have a line, too.
  expect(decodeURIComponent(csv ?? '').split('\r\n')).toEqual([
    'data:text/csv;charset=utf-8,from,credits,tokens',
    ...Array.from({ length: 13 }, () => expect.stringMatching(/^\d{4}-\d\d-\d\d,0,0$/)),
    `${date},1,1268`,
  ]);
  const usage = (query: string) => call(`/v2/team/model-usage?${query}`, { url: service.url, key });
  const [startDate] = new Date().toISOString().split(/(?<=T\d\d)/);
  const hour = { startDate: `${startDate}:00:00.000Z`, tokens: 1_268, calls: 2 };
  expect((await usage('timeRange=hour')).body.data.periods).toEqual([hour]);
  const { name } = (await call('/v2/team/keys', { url: service.url, key })).body.data[0];
  expect((await usage('byApiKey=true')).body.data.periods).toEqual([
    { ...hour, startDate: `${date}T00:00:00.000Z`, apiKey: name },
  ]);
  for (const query of ['timeRange=week', 'byApiKey=maybe', 'hours=1'])
    expect((await usage(query)).body.code).toBe('BAD_REQUEST');

  const consumption = page.getByRole('region', { name: 'Consumption' });
  await consumption.getByLabel('Period', { exact: true }).selectOption('Hours');
  await consumption.getByRole('row').filter({ hasText: 'UTC' }).getByText('1,268').waitFor();
  const byKey = page.getByRole('region', { name: 'Credits by key', exact: true });
  await byKey
    .getByRole('row')
    .filter({ hasText: date.slice(0, 7) })
    .getByText(name)
    .waitFor();
  const credits = await byKey.getByRole('link', { name: 'Keys as CSV' }).getAttribute('href');
  expect(decodeURIComponent(credits ?? '')).toBe(
    `data:text/csv;charset=utf-8,month,key,credits\r\n${date.slice(0, 7)},${name},1`,
  );
  const models = page.getByRole('region', { name: 'Language models' });
  await models.getByLabel('Period', { exact: true }).selectOption('Hours');
  await models.getByRole('img', { name: '48 periods, at most 1,268 tokens in one' }).waitFor();
  await models.getByRole('row').filter({ hasText: name }).getByText('1,268').waitFor();
  const byHour = await models.getByRole('link', { name: 'Tokens as CSV' }).getAttribute('href');
  expect(decodeURIComponent(byHour ?? '')).toBe(
    `data:text/csv;charset=utf-8,from,key,tokens,calls\r\n${hour.startDate},${name},1268,2`,
  );
  expect(await findFaults(page)).toEqual([]);
  expect(user.errors).toEqual([]);
});

it('shows the pages of each day by engine and outcome, whose bars the pointer and the keys read', async () => {
  const { id: teamId, key } = await makeTeam(db);
  const date = new Date().toISOString().slice(0, 10);
  const count = (engine: string, outcome: 'completed' | 'http_error' | 'failed', pages: number) =>
    ({ teamId, day: date, engine, outcome, pages }) as const;
  await addPageCounts(db, [
    count('http', 'completed', 1000),
    count('http', 'http_error', 20),
    count('browser', 'failed', 3),
  ]);
  await using user = await User.open('/usage', { key });
  const { page } = user;
  const part = page.getByRole('region', { name: 'Pages by engine' });
  await part
    .getByRole('img', { name: '30 periods, at most 1,023 pages in one' })
    .hover({ position: { x: 1, y: 9 } });
  await part.getByText(/^\d{4}-\d\d-\d\d: 0 pages$/).waitFor();
  await part.getByRole('group').focus();
  await page.keyboard.press('End');
  await part.getByText(`${date}: 1,023 pages (1,000 completed, 20 http error, 3 failed)`).waitFor();
  await part.getByRole('row', { name: `${date} http 1,000 20 0` }).waitFor();
  await part.getByLabel('Engine', { exact: true }).selectOption('browser');
  await part.getByRole('img', { name: '30 periods, at most 3 pages in one' }).waitFor();
  const csv = await part.getByRole('link', { name: 'Pages as CSV' }).getAttribute('href');
  expect(decodeURIComponent(csv ?? '')).toBe(
    `data:text/csv;charset=utf-8,date,engine,outcome,pages\r\n${date},browser,failed,3`,
  );
  expect(await findFaults(page)).toEqual([]);
  expect(user.errors).toEqual([]);
});

it('an operator sees how busy each worker is, what waits in the queues, and the version of Temporal', async () => {
  const adminKey = readFileSync(join(service.dataDir, 'admin-key'), 'utf8').trim();
  const { data } = (await call('/admin/health', { url: service.url, key: adminKey })).body;
  expect(data.versions.temporal).toMatch(/^\d+\.\d+\.\d+/);
  expect(data.queues.map(({ role }: { role: string }) => role)).toEqual([
    'workflows',
    'scrape',
    'pages',
    'webhooks',
    'sessions',
    'models',
  ]);
  for (const { waiting, oldestMs } of data.queues)
    expect([waiting, oldestMs].every((each) => Number.isInteger(each) && each >= 0)).toBe(true);
  expect(data.workers[0].memoryBytes).toBeGreaterThan(50_000_000);
  expect(data.workers[0].cores).toBeGreaterThan(0);
  await using user = await User.open('/operator');
  const { page } = user;
  await page.getByLabel('Key of the operator').fill(adminKey);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('region', { name: 'Workers' }).getByText(/\d %/).first().waitFor();
  await page.getByRole('region', { name: 'Queues' }).getByText('workflows').waitFor();
  await page.getByText(data.versions.temporal, { exact: true }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  expect(user.errors).toEqual([]);
});
