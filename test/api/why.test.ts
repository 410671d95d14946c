import { expect, it } from 'vitest';
import { whyResponse } from '../../src/schemas/why.ts';
import { call, scrape } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** What the API says about how pages went. */

const db = useDatabase();
const some = expect.any(Number);

/** Reads how a page went, and checks it against its schema. */
async function whyOf(id: string, key?: string) {
  const { status, body } = await call(`/v2/scrape/${id}/why`, key === undefined ? {} : { key });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(whyResponse.parse(body)).toEqual(body);
  return body;
}

it('a scrape tells its cache, engine, redirects, stages, size and credits', async () => {
  await using site = await startPages({
    '/old': (_, response) => response.writeHead(301, { Location: '/moved' }).end(),
    '/moved': '<meta http-equiv="refresh" content="0; url=/new">',
    '/new': '<p>The page is here, with enough text to be read as one.</p>',
  });
  const url = `${site.url}/old`;
  const { body } = await scrape({ url });
  const id = body.data.metadata.scrapeId;
  const why = await whyOf(id);
  expect(why).toMatchObject({
    success: true,
    id,
    jobId: id,
    status: 'completed',
    url,
    error: null,
    cache: { verdict: 'miss', because: 'there is no copy of the allowed age' },
    attempts: [
      {
        engine: 'http',
        result: 'HTTP 200',
        url: `${site.url}/new`,
        bytes: 60,
        redirects: [
          { url, by: 'HTTP 301' },
          { url: `${site.url}/moved`, by: 'meta refresh' },
        ],
      },
    ],
    credits: [{ rule: 'page', credits: 1 }],
    statusCode: 200,
    documentBytes: some,
  });
  expect(why.stages.map(({ stage }: { stage: string }) => stage)).toEqual(
    expect.arrayContaining(['queue', 'cache', 'fetch', 'render', 'formats']),
  );
  expect(why.summary).toMatch(/^A plain fetch got HTTP 200 after 2 redirects in .*; it cost 1 credit\.$/);
});

it('a scrape from the cache tells the age of the copy, and one without it why', async () => {
  await using site = await startPages({ '/': '<p>The page is here, with enough text.</p>' });
  await scrape({ url: site.url });
  const copied = await scrape({ url: site.url });
  const hit = await whyOf(copied.body.data.metadata.scrapeId);
  expect(hit).toMatchObject({ cache: { verdict: 'hit', ageMs: some }, attempts: [{ engine: 'cache' }] });
  expect(hit.summary).toContain('The page came from the cache, whose copy was');
  const fresh = await scrape({ url: site.url, headers: { 'X-Own': '1' } });
  expect((await whyOf(fresh.body.data.metadata.scrapeId)).cache).toEqual({
    verdict: 'skipped',
    because: 'the request has headers of its own',
  });
});

it('a page that the browser had to open tells why, and where it navigated to', async () => {
  await using site = await startPages({
    '/': '<div id="root"></div><script>location.href = "/shown"</script>',
    '/shown': '<h1>Shown</h1><p>The page that the script has opened, with enough text.</p>',
  });
  const { body } = await scrape({ url: `${site.url}/`, waitFor: 300 });
  const why = await whyOf(body.data.metadata.scrapeId);
  expect(why.attempts).toMatchObject([
    { engine: 'browser', redirects: [{ url: `${site.url}/`, by: 'navigation of the page' }] },
  ]);
});

it('a failed scrape tells its error and how far it came', async () => {
  await using site = await startPages({ '/': () => undefined });
  const { status, body } = await scrape({ url: site.url, timeout: 1500, fastMode: true });
  expect(status).toBe(408);
  // The error is written once the workflow has noticed the failure.
  const id = body.details.scrapeId;
  const why = await pollUntil(async () => {
    const read = await whyOf(id);
    return read.status === 'failed' && read;
  });
  expect(why).toMatchObject({
    error: { code: 'SCRAPE_TIMEOUT' },
    attempts: [{ engine: 'http', result: 'SCRAPE_TIMEOUT' }],
  });
  expect(why.summary).toMatch(/^The page failed with SCRAPE_TIMEOUT; a plain fetch got SCRAPE_TIMEOUT in /);
});

it('a page of a crawl tells its job, its turn and its stages', async () => {
  await using site = await startPages({ '/': '<a href="/b">b</a>', '/b': '<p>The second page.</p>' });
  const { body } = await call('/v2/crawl', { body: { url: site.url, limit: 2 } });
  const job = await pollUntil(async () => {
    const read = await call(`/v2/crawl/${body.id}`);
    return read.body.status === 'completed' && read.body;
  });
  for (const { metadata } of job.data) {
    const why = await whyOf(metadata.scrapeId);
    expect(why).toMatchObject({ jobId: body.id, url: metadata.sourceURL, attempts: [{ engine: 'http' }] });
    expect(why.stages[0].stage).toBe('robots');
  }
});

it('another team, an unknown id and zero data retention are not found', async () => {
  await using site = await startPages({ '/': '<p>The page is here.</p>' });
  const { key } = await makeTeam(db);
  const own = await scrape({ url: site.url });
  const id = own.body.data.metadata.scrapeId;
  const others = await call(`/v2/scrape/${id}/why`, { key });
  const unknown = await call(`/v2/scrape/0190a6e0-0000-7000-8000-000000000000/why`, { key });
  expect(others.status).toBe(404);
  expect(others.body.error.replace(id, '0190a6e0-0000-7000-8000-000000000000')).toBe(unknown.body.error);
  const secret = await scrape({ url: site.url, zeroDataRetention: true });
  const none = await call(`/v2/scrape/${secret.body.data.metadata.scrapeId}/why`);
  expect(none).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  const rows = await db.query
    .selectFrom('jobs')
    .select('trace')
    .where('id', '=', secret.body.data.metadata.scrapeId)
    .execute();
  expect(rows).toEqual([{ trace: null }]);
});
