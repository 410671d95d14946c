import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** GET /v2/batch/scrape/{id}/pages and that of crawls. */

const BATCH = '/v2/batch/scrape';
const site = useSite();
const db = useDatabase();
let team: TestTeam;
let id: string;
beforeAll(async () => {
  team = await makeTeam(db, { zeroDataRetention: true });
  const urls = [1, 2, 3].map((number) => `${site.url}/article/${number}`);
  id = await startJob(BATCH, { urls: [...urls, `${site.url}/sitemap.xml.gz`] }, { key: team.key });
  await finished(BATCH, id, { key: team.key });
});

const list = (query: string, job = id): Promise<ApiResponse> =>
  call(`${BATCH}/${job}/pages?${query}`, { key: team.key });
const pathsOf = ({ body }: ApiResponse): string[] =>
  body.data.map(({ url }: { url: string }) => new URL(url).pathname);

describe('the pages of a batch', () => {
  it('are listed in the order of its URLs, with what became of each, and the codes of those that failed', async () => {
    const { body } = await list('');
    expect(pathsOf({ body } as ApiResponse)).toEqual([
      '/article/1',
      '/article/2',
      '/article/3',
      '/sitemap.xml.gz',
    ]);
    expect(body.total).toBe(4);
    expect(body.errorCodes).toEqual([{ code: 'SCRAPE_UNSUPPORTED_FILE_ERROR', pages: 1 }]);
    expect(body.data[0]).toMatchObject({ status: 'completed', attempts: 1, code: null, error: null });
    expect(body.data[3]).toMatchObject({ status: 'failed', code: 'SCRAPE_UNSUPPORTED_FILE_ERROR' });
    const why = await call(`/v2/scrape/${body.data[3].id}/why`, { key: team.key });
    expect(why.body.error.message).toBe(body.data[3].error);
  });

  it.each([
    ['status=failed', ['/sitemap.xml.gz']],
    ['status=waiting', []],
    ['status=completed&search=article/2', ['/article/2']],
    ['errorCode=SCRAPE_UNSUPPORTED_FILE_ERROR', ['/sitemap.xml.gz']],
    ['errorCode=SCRAPE_TIMEOUT', []],
    ['search=E/3%20%20ARTICLE', ['/article/3']],
    ['search=article%20sitemap', []],
    // These characters mean something to LIKE.
    ['search=%25', []],
    ['search=_', []],
    ['search=%20', ['/article/1', '/article/2', '/article/3', '/sitemap.xml.gz']],
  ])('with %s are %j', async (query, paths) => {
    const { body } = await list(query);
    expect(pathsOf({ body } as ApiResponse)).toEqual(paths);
    expect(body.total).toBe(paths.length);
  });

  it('are read part by part, by the URL of the next one, which repeats the filter', async () => {
    const first = await list('limit=2&search=article&status=completed');
    expect(pathsOf(first)).toEqual(['/article/1', '/article/2']);
    expect(first.body.total).toBe(3);
    const { pathname, search } = new URL(first.body.next);
    const second = await call(pathname + search, { key: team.key });
    expect(pathsOf(second)).toEqual(['/article/3']);
    expect(second.body).not.toHaveProperty('next');
    expect(pathsOf(await list('skip=99'))).toEqual([]);
  });

  it.each([
    ['status=done', /status/],
    ['limit=0', /limit must be 1 to 1000/],
    ['limit=1001', /limit must be 1 to 1000/],
    ['skip=-1', /skip must be a whole number/],
    [`search=${'a'.repeat(201)}`, /at most 200 characters/],
    [`search=${'a%20'.repeat(11)}`, /at most 10 words/],
    ['state=failed', /state/],
  ])('with %s are a mistake that is named', async (query, message) => {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(JSON.stringify(body)).toMatch(message);
  });

  it('are those of the team only, and of a job of this kind', async () => {
    const other = await makeTeam(db);
    expect((await call(`${BATCH}/${id}/pages`, { key: other.key })).status).toBe(404);
    expect((await call(`/v2/crawl/${id}/pages`, { key: team.key })).status).toBe(404);
  });
});

it('the pages of a batch with zero data retention are listed, and their URLs cannot be searched', async () => {
  const body = { urls: [`${site.url}/article/4`], zeroDataRetention: true };
  const hidden = await startJob(BATCH, body, { key: team.key });
  await finished(BATCH, hidden, { key: team.key });
  expect(pathsOf(await list('status=completed', hidden))).toEqual(['/article/4']);
  const { status, body: refusal } = await list('search=article', hidden);
  expect([status, refusal.code]).toEqual([400, 'BAD_REQUEST']);
  expect(refusal.error).toContain('zero data retention');
});

it('pages that a crawl has found beyond its limit are waiting', async () => {
  const crawl = await startJob('/v2/crawl', { url: `${site.url}/`, limit: 3 }, { key: team.key });
  await finished('/v2/crawl', crawl, { key: team.key });
  const { body } = await call(`/v2/crawl/${crawl}/pages?status=completed`, { key: team.key });
  expect(body.total).toBe(3);
  const waiting = await call(`/v2/crawl/${crawl}/pages?status=waiting&limit=1`, { key: team.key });
  expect(waiting.body.data[0]).toMatchObject({ status: 'waiting', attempts: 0, finishedAt: null });
});

it('the pages of a crawl are as many as its list has in each state, also while it runs and where pages are the same', async () => {
  // Of the pages that the start page links to, several redirect to others.
  const crawl = await startJob(
    '/v2/crawl',
    { url: `${site.url}/`, maxConcurrency: 2, limit: 100 },
    { key: team.key },
  );
  const read = async (query: string) =>
    (await call(`/v2/crawl/${crawl}/pages?${query}`, { key: team.key })).body;
  await pollUntil(async () => (await read('status=completed')).total > 2);
  await call(`/v2/crawl/${crawl}/pause`, { key: team.key, body: {} });
  await pollUntil(async () => (await read('status=scraping')).total === 0);
  const compare = async () => {
    for (const query of ['', 'status=completed', 'status=failed', 'status=waiting', 'status=scraping']) {
      const { total } = await read(query);
      // The list ends with the page of this number.
      const { data } = await read(`${query}&limit=2&skip=${Math.max(0, total - 1)}`);
      expect(data.length, query).toBe(Math.min(1, total));
    }
  };
  await compare();
  await call(`/v2/crawl/${crawl}/resume`, { key: team.key, body: {} });
  await call(`/v2/crawl/${crawl}/retune`, { key: team.key, body: { limit: 30 } });
  await finished('/v2/crawl', crawl, { key: team.key });
  await compare();
});
