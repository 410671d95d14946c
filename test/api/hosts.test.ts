import { expect, it } from 'vitest';
import { pageJobHosts } from '../../src/schemas/page-job.ts';
import { call } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** What the API says about the pace of batches and crawls. */

const db = useDatabase();

/** Reads the pace of a batch, and checks it against its schema. */
async function hostsOf(id: string) {
  const { status, body } = await call(`/v2/batch/scrape/${id}/hosts`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(pageJobHosts.parse(body)).toEqual(body);
  return body;
}

it('a host tells its fetches and how long they took, beside the limits of the job', async () => {
  await using site = await startPages({ '/a': '<p>The first page.</p>', '/b': '<p>The second page.</p>' });
  const urls = [`${site.url}/a`, `${site.url}/b`];
  const { body } = await call('/v2/batch/scrape', { body: { urls, maxConcurrency: 2 } });
  const pace = await pollUntil(async () => {
    const read = await hostsOf(body.id);
    return read.hosts[0]?.requests === 2 && read;
  });
  expect(pace).toMatchObject({ maxConcurrency: 2, delay: null, limit: null });
  expect(pace.hosts).toEqual([
    {
      host: new URL(site.url).host,
      requests: 2,
      averageMs: expect.any(Number),
      pausedUntil: null,
      robotsUntil: null,
    },
  ]);
});

it('a host that asked to slow down comes first, with the end of its pause', async () => {
  await using quick = await startPages({ '/': '<p>The page.</p>' });
  await using busy = await startPages({
    '/': (_, response) => response.writeHead(429, { 'Retry-After': '60' }).end(),
  });
  const urls = [`${quick.url}/`, `${busy.url}/`];
  const { body } = await call('/v2/batch/scrape', { body: { urls, fastMode: true } });
  const { hosts } = await pollUntil(async () => {
    const read = await hostsOf(body.id);
    return read.hosts.length === 2 && read.hosts[0].pausedUntil && read;
  });
  expect(hosts[0].host).toBe(new URL(busy.url).host);
  expect(Date.parse(hosts[0].pausedUntil)).toBeGreaterThan(Date.now());
  expect(hosts[1]).toMatchObject({ host: new URL(quick.url).host, pausedUntil: null });
  await call(`/v2/batch/scrape/${body.id}`, { method: 'DELETE' });
});

it('another team finds no such job', async () => {
  const { body } = await call('/v2/batch/scrape', { body: { urls: ['http://127.0.0.1:1/'] } });
  const { key } = await makeTeam(db);
  expect(await call(`/v2/batch/scrape/${body.id}/hosts`, { key })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
});
