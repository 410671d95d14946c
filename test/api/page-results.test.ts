import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** GET /v2/scrape/{id} for the pages of batches and crawls. */

const BATCH = '/v2/batch/scrape';

const site = useSite();
const db = useDatabase();
let team: TestTeam;
/** A page that fails at once. */
let archive: string;
beforeAll(async () => {
  archive = `${site.url}/sitemap.xml.gz`;
  team = await makeTeam(db, { zeroDataRetention: true });
});

const read = (id: string, key = team.key) => call(`/v2/scrape/${id}`, { key });
const errorCodesOf = async (id: string): Promise<ApiResponse['body']> =>
  (await call(`${BATCH}/${id}/errors`, { key: team.key })).body.errors;

describe('a page of a batch or crawl', () => {
  it.each([
    ['batch', BATCH, () => ({ urls: [`${site.url}/article/1`, `${site.url}/status/404`] })],
    ['crawl', '/v2/crawl', () => ({ url: `${site.url}/`, limit: 2 })],
  ])('of a %s is read by its scrapeId as the status has it', async (_kind, path, body) => {
    const id = await startJob(path, body(), { key: team.key });
    const { data } = await finished(path, id, { key: team.key });
    expect(data).toHaveLength(2);
    for (const document of data) {
      expect(await read(document.metadata.scrapeId)).toMatchObject({
        status: 200,
        body: { success: true, status: 'completed', data: document },
      });
    }
  });

  it('that failed is found by its id in /errors, with the same error', async () => {
    const id = await startJob(BATCH, { urls: [archive, `${site.url}/article/2`] }, { key: team.key });
    await finished(BATCH, id, { key: team.key });
    const [failed] = await errorCodesOf(id);
    expect(failed).toMatchObject({ url: archive, code: 'SCRAPE_UNSUPPORTED_FILE_ERROR' });
    expect(await read(failed.id)).toMatchObject({
      status: 500,
      body: { success: false, code: failed.code, error: failed.error },
    });
  });

  it('that is pending is reported as scraping, and is not found when its job ends without it', async () => {
    const options = { key: team.key };
    // It is never answered.
    await using silent = await startPages({ '/': () => undefined });
    const id = await startJob(BATCH, { urls: [`${silent.url}/`], fastMode: true }, options);
    const page = () => db.query.selectFrom('pages').select(['id', 'status']).where('job_id', '=', id);
    await pollUntil(() => silent.requests.length > 0);
    const row = await page().executeTakeFirstOrThrow();
    expect((await read(row.id)).body).toEqual({ success: true, status: 'scraping' });
    await call(`${BATCH}/${id}`, { method: 'DELETE', key: team.key });
    expect(await read(row.id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('that waits for a retry is reported as scraping', async () => {
    await using busy = await startPages({
      '/': (_request, response) => response.writeHead(503, { 'Retry-After': '120' }).end('busy'),
    });
    const id = await startJob(BATCH, { urls: [`${busy.url}/`], fastMode: true }, { key: team.key });
    const tried = db.query
      .selectFrom('pages')
      .select('id')
      .where('job_id', '=', id)
      .where('status', '=', 'pending')
      .where('attempts', '>', 0);
    const row = await pollUntil(() => tried.executeTakeFirst());
    expect((await read(row.id)).body).toEqual({ success: true, status: 'scraping' });
    await call(`${BATCH}/${id}`, { method: 'DELETE', key: team.key });
  });

  it.each([false, true])(
    'of another team is not found (zero data retention: %j)',
    async (zeroDataRetention) => {
      const urls = [`${site.url}/article/4`, archive];
      const id = await startJob(BATCH, { urls, zeroDataRetention }, { key: team.key });
      const { data } = await finished(BATCH, id, { key: team.key });
      const [failed] = await errorCodesOf(id);
      const stranger = await makeTeam(db);
      for (const page of [data[0].metadata.scrapeId, failed.id]) {
        expect(await read(page, stranger.key)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      }
    },
  );

  it('of a scrape with zero data retention is not found by another team', async () => {
    const body = { url: `${site.url}/article/8`, zeroDataRetention: true };
    const answer = await call('/v2/scrape', { body, key: team.key });
    const id = answer.body.data.metadata.scrapeId;
    const stranger = await makeTeam(db);
    expect(await read(id, stranger.key)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await read(id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('with zero data retention can be read as often as the status of its job can', async () => {
    const urls = [`${site.url}/article/5`, archive];
    const id = await startJob(BATCH, { urls, zeroDataRetention: true }, { key: team.key });
    const { data } = await finished(BATCH, id, { key: team.key });
    const [failed] = await errorCodesOf(id);
    for (let time = 0; time < 2; time++) {
      expect((await read(data[0].metadata.scrapeId)).body.data).toEqual(data[0]);
      expect((await read(failed.id)).body).toMatchObject({ code: failed.code, error: failed.error });
    }
    expect((await finished(BATCH, id, { key: team.key })).data).toEqual(data);
  });

  it.each([false, true])('expires with its job (zero data retention: %j)', async (zeroDataRetention) => {
    const urls = [`${site.url}/article/6`, archive];
    const id = await startJob(BATCH, { urls, zeroDataRetention }, { key: team.key });
    const { data } = await finished(BATCH, id, { key: team.key });
    const [failed] = await errorCodesOf(id);
    await db.query
      .updateTable('jobs')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('id', '=', id)
      .execute();
    for (const page of [data[0].metadata.scrapeId, failed.id]) {
      const { status, body } = await read(page);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
      expect(body.error).toContain('expired');
    }
  });

  it('is not found by the id of its job', async () => {
    const id = await startJob(BATCH, { urls: [`${site.url}/article/7`] }, { key: team.key });
    await finished(BATCH, id, { key: team.key });
    expect((await read(id)).status).toBe(404);
  });
});
