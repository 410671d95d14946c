import { expect, it } from 'vitest';
import { changeTeam } from '../../src/storage/db/teams/teams.ts';
import { call } from '../support/api/call.ts';
import { finished } from '../support/api/jobs.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** What an operator allows a team to keep and to have open at once. */

const service = useService();
const db = useDatabase();

it('a team has as many open jobs as it may have, and may begin another when one ends', async () => {
  await using site = await startPages({ '/': '<p>Tea.</p><a href="/b">More</a>', '/b': '<p>More tea.</p>' });
  const { name, key } = await makeTeam(db, { openJobs: 1 });
  const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
    call(path, { url: service.url, key, ...options });
  const crawl = await ask('/v2/crawl', { body: { url: site.url, limit: 2, delay: 60 } });
  expect(crawl.status).toBe(200);
  expect((await ask(`/v2/crawl/${crawl.body.id}/pause`, { method: 'POST' })).status).toBe(200);
  for (const [path, body] of [
    ['/v2/crawl', { url: site.url, limit: 1 }],
    ['/v2/batch/scrape', { urls: [site.url] }],
    [
      '/v2/extract',
      { urls: [site.url], schema: { type: 'object', properties: { title: { type: 'string' } } } },
    ],
  ] as const) {
    const refused = await ask(path, { body });
    expect(refused, path).toMatchObject({
      status: 429,
      body: { code: 'JOB_LIMIT_REACHED', error: expect.stringMatching(/has 1 batches.*at most 1.*cancel/) },
    });
    expect(refused.headers.get('retry-after')).toBe('30');
  }
  expect((await ask('/v2/scrape', { body: { url: site.url } })).status).toBe(200);
  await ask(`/v2/crawl/${crawl.body.id}`, { method: 'DELETE' });
  await expect
    .poll(async () => (await ask('/v2/batch/scrape', { body: { urls: [site.url] } })).status)
    .toBe(200);
  await changeTeam(db, name, { openJobs: 0 });
  expect((await ask('/v2/crawl', { body: { url: site.url, limit: 1 } })).status).toBe(429);
});

it('results that take as much as they may are told before another job begins', async () => {
  const words = Array.from({ length: 160_000 }, (_, index) => (index * 7919).toString(36)).join(' ');
  await using site = await startPages({ '/': `<p>${words}</p>` });
  const { name, key } = await makeTeam(db);
  const ask = (path: string, body?: object) => call(path, { url: service.url, key, ...(body && { body }) });
  const { id } = (await ask('/v2/batch/scrape', { urls: [site.url] })).body;
  await finished('/v2/batch/scrape', id, { key });
  await changeTeam(db, name, { storedMegabytes: 1 });
  for (const [path, body] of [
    ['/v2/scrape', { url: site.url }],
    ['/v2/batch/scrape', { urls: [site.url] }],
    ['/v2/crawl', { url: site.url, limit: 1 }],
  ] as const)
    expect(await ask(path, body), path).toMatchObject({
      status: 429,
      body: {
        code: 'STORAGE_LIMIT_REACHED',
        error: expect.stringMatching(/take 1 MiB, and may take 1.*--stored-mb/),
      },
    });
  // What is there can be read.
  expect((await ask(`/v2/batch/scrape/${id}`)).body.data).toHaveLength(1);
  await changeTeam(db, name, { storedMegabytes: 100 });
  expect((await ask('/v2/scrape', { url: site.url })).status).toBe(200);
});

it('a team may have its own number of monitors', async () => {
  const { key } = await makeTeam(db, { monitors: 0 });
  const body = {
    name: 'Tea',
    schedule: { text: 'daily' },
    targets: [{ type: 'scrape', urls: ['https://example.com/'] }],
  };
  expect(await call('/v2/monitor', { url: service.url, key, body })).toMatchObject({
    status: 403,
    body: { code: 'MONITOR_LIMIT_REACHED', error: expect.stringMatching(/at most 0/) },
  });
});
