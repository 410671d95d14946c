import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { findTeam } from '../../src/storage/db/teams/teams.ts';
import { articleTruth } from '../site/site.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { finished, sourcesOf, startJob, untilStatus } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** Batches: started, watched, changed and ended through the API. */

type Body = ApiResponse['body'];
const PATH = '/v2/batch/scrape';

const site = useSite();
const db = useDatabase();

const articles = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${site.url}/article/${from + index}`);
const slow = (count: number, ms = 500) =>
  Array.from({ length: count }, (_, index) => `${site.url}/slow/${ms}/article/${index}?${randomUUID()}`);
/** Options of pages that are held back for as long as a busy machine takes for the others. */
const HELD = { fastMode: true, timeout: 300_000 };
/** A page that is not answered before it is released. */
async function startHeldPage() {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const pages = await startPages({
    '/': async (_request, response) => {
      requested.resolve();
      await released.promise;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Held back</p>');
    },
  });
  return {
    url: `${pages.url}/`,
    /** Different URLs of the page. */
    urls: (count: number) => Array.from({ length: count }, (_, n) => `${pages.url}/?${n}`),
    requests: () => pages.requests.length,
    requested: requested.promise,
    release: () => released.resolve(),
    [Symbol.asyncDispose]: () => pages[Symbol.asyncDispose](),
  };
}
const ledgerOf = async (id: string): Promise<number> => {
  const rows = await db.query
    .selectFrom('credit_entries')
    .select('credits')
    .where('job_id', '=', id)
    .execute();
  return rows.reduce((sum, { credits }) => sum + credits, 0);
};

describe('a batch', () => {
  it('scrapes every page once and reports the totals', async () => {
    const urls = articles(12);
    const { status, body } = await call(PATH, { body: { urls, formats: ['markdown', 'links'] } });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, id: expect.any(String), url: expect.any(String), invalidURLs: [] });
    expect(body.url).toMatch(new RegExp(`^http://127.0.0.1:\\d+${PATH}/${body.id}$`));
    const done = await finished(PATH, body.id);
    expect(done).toMatchObject({
      success: true,
      status: 'completed',
      total: 12,
      completed: 12,
      creditsUsed: 12,
    });
    expect(done).not.toHaveProperty('next');
    expect(sourcesOf(done)).toEqual([...urls].sort());
    expect(new Set(done.data.map((each: Body) => each.metadata.scrapeId)).size).toBe(12);
    for (const document of done.data as Body[]) {
      const n = Number(/\d+$/.exec(document.metadata.sourceURL)?.[0]);
      expect(document.markdown).toContain(articleTruth(n).firstSentence);
      expect(document.links.length).toBeGreaterThan(0);
      expect(document.metadata).toMatchObject({ statusCode: 200, creditsUsed: 1 });
    }
    expect(await ledgerOf(body.id)).toBe(12);
    expect(Date.parse(done.expiresAt) - Date.parse(done.completedAt)).toBe(24 * 3_600_000);
  });

  it('scrapes and charges a doubled URL once, and says how many are', async () => {
    const [url] = articles(1);
    const webhook = { url: 'https://hooks.test/', events: ['crawl.page'] };
    const { body } = await call(PATH, { body: { urls: [url, url, 'x y', url, `${url}?other`], webhook } });
    expect([body.warning, body.invalidURLs]).toEqual([
      expect.stringMatching(
        /^Doubled URLs: 2 of 5\. Each URL is scraped and charged once\. The webhook gets nothing, .* batch_scrape\.page/,
      ),
      ['x y'],
    ]);
    expect(await finished(PATH, body.id)).toMatchObject({ total: 2, completed: 2, creditsUsed: 2 });
    expect(await ledgerOf(body.id)).toBe(2);
  });

  it('needs credits for different URLs only', async () => {
    const { key } = await makeTeam(db, { credits: 1 });
    const [url] = articles(1);
    const send = (urls: unknown[]) => call(PATH, { body: { urls }, key });
    expect((await send([url, `${url}?other`])).body.code).toBe('INSUFFICIENT_CREDITS');
    const { status, body } = await send([url, url, 'x y', 'ftp://a.test/']);
    expect(status).toBe(200);
    expect(await finished(PATH, body.id, { key })).toMatchObject({ completed: 1, creditsUsed: 1 });
  });

  it('leaves out invalid URLs and lists them', async () => {
    const { body } = await call(PATH, { body: { urls: [articles(1)[0], 'x y', 'ftp://a.test/'] } });
    expect(body.invalidURLs).toEqual(['x y', 'ftp://a.test/']);
    expect(await finished(PATH, body.id)).toMatchObject({ status: 'completed', total: 1 });
  });

  it('is refused for invalid URLs when the request says so, and for an empty list', async () => {
    const strict = await call(PATH, { body: { urls: [articles(1)[0], 'x y'], ignoreInvalidURLs: false } });
    expect(strict).toMatchObject({ status: 400, body: { success: false, code: 'BAD_REQUEST' } });
    const none = await call(PATH, { body: { urls: ['x y'] } });
    expect(none).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('No valid URLs provided: x y.') },
    });
    expect((await call(PATH, { body: { urls: [] } })).status).toBe(400);
    const { body } = await call(PATH, { body: { urls: articles(1), ignoreInvalidURLs: false } });
    expect(body).not.toHaveProperty('invalidURLs');
  });

  it('keeps to its maxConcurrency, or to eight requests per host by default', async () => {
    let open = 0;
    let most = 0;
    let expected = 3;
    let isReached = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (_request, response) => {
        most = Math.max(most, ++open);
        if (open === expected) isReached.resolve();
        // No page is answered before as many are open as may be, however slowly they are requested.
        await isReached.promise;
        setTimeout(() => {
          open--;
          response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>slow</p>');
        }, 100);
      },
    });
    const urls = Array.from({ length: 24 }, (_, n) => `${pages.url}/?${n}`);
    await finished(PATH, await startJob(PATH, { urls, fastMode: true, maxConcurrency: expected }));
    expect(most).toBe(expected);
    [most, expected, isReached] = [0, 8, Promise.withResolvers()];
    await finished(PATH, await startJob(PATH, { urls, fastMode: true, maxAge: 0 }));
    expect(most).toBe(expected);
  });
});

// The tests wait for retries most of the time, so they wait together.
describe.concurrent('a batch with pages that fail', () => {
  it('lists responses with an error status as documents, and pages without a response as errors', async () => {
    const gone = 'http://127.0.0.1:9/nothing';
    const unknown = 'http://does-not-exist.invalid/';
    const id = await startJob(PATH, { urls: [`${site.url}/status/404`, gone, unknown, ...articles(2)] });
    const done = await finished(PATH, id);
    // Three documents at a credit, and one for the name that does not resolve.
    expect(done).toMatchObject({ status: 'completed', total: 5, completed: 3, creditsUsed: 4 });
    const missing = done.data.find((each: Body) => each.metadata.sourceURL.endsWith('/status/404'));
    expect(missing.metadata).toMatchObject({ statusCode: 404, error: 'Not Found' });
    const { status, body } = await call(`${PATH}/${id}/errors`);
    expect(status).toBe(200);
    expect(body.robotsBlocked).toEqual([]);
    const errors = Object.fromEntries(body.errors.map((each: Body) => [each.url, each]));
    expect(errors[gone]).toMatchObject({
      code: 'SCRAPE_SITE_ERROR',
      error: expect.stringContaining('refused'),
    });
    expect(errors[unknown]).toMatchObject({ code: 'SCRAPE_DNS_RESOLUTION_ERROR' });
    expect(Date.parse(errors[gone].timestamp)).toBeGreaterThan(0);
    expect(await ledgerOf(id)).toBe(4);
  });

  it('retries a busy host after the time that its Retry-After header says', async () => {
    const asked: number[] = [];
    await using pages = await startPages({
      '/busy': (_request, response) => {
        asked.push(Date.now());
        if (asked.length < 3) response.writeHead(503, { 'Retry-After': '1' }).end('busy');
        else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Here at last</h1>');
      },
    });
    const done = await finished(PATH, await startJob(PATH, { urls: [`${pages.url}/busy`] }));
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(done).toMatchObject({ completed: 1, creditsUsed: 1, data: [{ markdown: '# Here at last' }] });
  });

  it('gives up on a host that stays busy and keeps its last response', async () => {
    await using pages = await startPages({
      '/busy': (_request, response) => response.writeHead(503).end('busy'),
    });
    const done = await finished(PATH, await startJob(PATH, { urls: [`${pages.url}/busy`], fastMode: true }));
    expect(done.data[0].metadata).toMatchObject({ statusCode: 503, error: 'Service Unavailable' });
    expect(pages.requests).toHaveLength(3);
  });

  it('says while it waits for nothing but the next attempt', async () => {
    const id = await startJob(PATH, { urls: ['http://127.0.0.1:9/nothing', ...articles(1)] });
    const { warning, completed } = await untilStatus(`${PATH}/${id}`, (body) => body.warning !== undefined);
    expect(warning).toMatch(
      /^All other pages are done\. What could not be fetched is tried again in \d+ s\.$/,
    );
    expect(completed).toBe(1);
    expect(await finished(PATH, id)).not.toHaveProperty('warning');
  });

  it('retries failed pages on request', async () => {
    let isUp = false;
    await using pages = await startPages({
      '/flaky': (request, response) => {
        if (isUp) response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Up again</h1>');
        else request.socket.destroy();
      },
    });
    const id = await startJob(PATH, { urls: [`${pages.url}/flaky`, ...articles(1)], fastMode: true });
    expect(await finished(PATH, id)).toMatchObject({ status: 'completed', total: 2, completed: 1 });
    isUp = true;
    const { body } = await call(`${PATH}/${id}/retry`, { method: 'POST' });
    expect(body).toEqual({ success: true, retried: 1 });
    const done = await untilStatus(
      `${PATH}/${id}`,
      (each) => each.status === 'completed' && each.completed === 2,
    );
    expect(done.data.map((each: Body) => each.markdown)).toContain('# Up again');
    expect((await call(`${PATH}/${id}/errors`)).body.errors).toEqual([]);
    expect((await call(`${PATH}/${id}/retry`, { method: 'POST' })).body).toEqual({
      success: true,
      retried: 0,
    });
  });
});

describe('the pages of a batch status', () => {
  let id: string;
  beforeAll(async () => {
    id = await startJob(PATH, { urls: articles(7) });
    await finished(PATH, id);
  });

  it('contain each document once', async () => {
    const seen: string[] = [];
    let next: string | undefined = `${PATH}/${id}?limit=3`;
    let answers = 0;
    while (next) {
      const { body }: ApiResponse = await call(next);
      seen.push(...sourcesOf(body));
      answers++;
      next = body.next && new URL(body.next).pathname + new URL(body.next).search;
    }
    expect(answers).toBe(3);
    expect(seen.sort()).toEqual(articles(7).sort());
  });

  it('end after the last document', async () => {
    const { body } = await call(`${PATH}/${id}?skip=7`);
    expect(body).toMatchObject({ status: 'completed', completed: 7, data: [] });
    expect(body).not.toHaveProperty('next');
  });

  it.each(['skip=-1', 'limit=0', 'limit=1001', 'limit=abc', 'skip='])('refuse ?%s', async (query) => {
    const { status, body } = await call(`${PATH}/${id}?${query}`);
    expect(status).toBe(400);
    expect(body.success).toBe(false);
  });

  it('link to the public URL that the client used', async () => {
    await using app = await startApi({ WINNOW_TRUSTED_PROXIES: '127.0.0.0/8' });
    const headers = { 'X-Forwarded-Host': 'winnow.example', 'X-Forwarded-Proto': 'https' };
    const { body } = await call(`${PATH}/${id}?limit=1`, { url: app.url, headers });
    expect(body.next).toBe(`https://winnow.example${PATH}/${id}?skip=1&limit=1`);
  });
});

describe('a running batch', () => {
  it('holds a request for the end of its list until there is a new document', async () => {
    await using page = await startHeldPage();
    const id = await startJob(PATH, { urls: [page.url] });
    await page.requested;
    let isHeld = true;
    const waiting = call(`${PATH}/${id}?skip=0`).finally(() => expect(isHeld).toBe(false));
    // A request that was not held would be answered meanwhile.
    await sleep(1_000);
    isHeld = false;
    page.release();
    const { body } = await waiting;
    expect(body).toMatchObject({ status: 'completed', completed: 1, data: [{ markdown: 'Held back' }] });
  });

  it('names the next page of its status while it runs, even before that page has documents', async () => {
    await using page = await startHeldPage();
    const id = await startJob(PATH, { urls: [page.url] });
    const { body } = await call(`${PATH}/${id}`);
    expect(body).toMatchObject({ status: 'scraping', data: [] });
    expect(body.next).toMatch(new RegExp(`${PATH}/${id}\\?skip=0$`));
    page.release();
    await finished(PATH, id);
  });

  it('ends when it is cancelled and keeps its documents', async () => {
    // Other files of tests use the first team at the same time; this team has only the one job.
    const team = await makeTeam(db);
    await using page = await startHeldPage();
    const urls = [...articles(3), ...page.urls(20)];
    const order = { urls, maxAge: 0, maxConcurrency: 3, ...HELD };
    const id = await startJob(PATH, order, team);
    await untilStatus(`${PATH}/${id}`, (body) => body.completed === 3, team);
    const response = await call(`${PATH}/${id}`, { method: 'DELETE', key: team.key });
    expect(response).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    const { body } = await call(`${PATH}/${id}`, team);
    expect(body).toMatchObject({ success: true, status: 'cancelled', total: 3, completed: 3 });
    expect(body.data).toHaveLength(3);
    await untilStatus('/v2/concurrency-check', ({ concurrency }) => concurrency === 0, team);
    page.release();
    expect(page.requests()).toBeLessThanOrEqual(3);
    expect((await call(`${PATH}/${id}`, team)).body).toEqual(body);
    expect(await ledgerOf(id)).toBe(body.creditsUsed);
    expect((await call(`${PATH}/${id}`, { method: 'DELETE', key: team.key })).body).toEqual({
      status: 'cancelled',
    });
    const change = await call(`${PATH}/${id}/resume`, { method: 'POST', key: team.key });
    expect(change).toMatchObject({ status: 409, body: { code: 'JOB_ENDED' } });
  });

  it('that has completed is not called cancelled when it is cancelled', async () => {
    const id = await startJob(PATH, { urls: articles(1) });
    await finished(PATH, id);
    const response = await call(`${PATH}/${id}`, { method: 'DELETE' });
    expect(response).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect((await call(`${PATH}/${id}`)).body.status).toBe('completed');
  });

  it('accepts more pages, and runs again when it had already completed', async () => {
    const id = await startJob(PATH, { urls: articles(2) });
    await finished(PATH, id);
    const more = await call(PATH, { body: { urls: articles(2, 30), appendToId: id } });
    expect(more).toMatchObject({ status: 200, body: { id, invalidURLs: [] } });
    const done = await untilStatus(
      `${PATH}/${id}`,
      (body) => body.status === 'completed' && body.total === 4,
    );
    expect(sourcesOf(done)).toEqual([...articles(2), ...articles(2, 30)].sort());
    const stranger = await makeTeam(db);
    const foreign = await call(PATH, { body: { urls: articles(1), appendToId: id }, key: stranger.key });
    expect(foreign).toMatchObject({ status: 404, body: { error: expect.stringContaining('Job not found') } });
  });

  it('refuses pages that are added with other options', async () => {
    const options = { formats: ['links'], onlyMainContent: false, maxConcurrency: 2 };
    const webhook = { url: `${site.url}/hook`, events: ['completed'] };
    const id = await startJob(PATH, { urls: articles(1), ...options, webhook });
    const add = (change: object) =>
      call(PATH, { body: { urls: articles(1, 40), appendToId: id, ...change } });
    const refused = await add({
      formats: ['html'],
      waitFor: 100,
      onlyMainContent: false,
      ignoreInvalidURLs: false,
      maxConcurrency: 3,
      webhook: `${site.url}/other`,
      origin: 'test',
    });
    expect(refused).toMatchObject({ status: 400, body: { success: false, code: 'BAD_REQUEST' } });
    expect(refused.body.error).toContain('formats, waitFor, maxConcurrency, webhook.');
    expect(refused.body.details.map(({ path }: Body) => path[0])).toEqual([
      ...['formats', 'waitFor', 'maxConcurrency', 'webhook'],
    ]);
    expect((await add({})).status).toBe(200);
    expect((await add({ ...options, webhook, timeout: 60_000 })).status).toBe(200);
    const done = await untilStatus(
      `${PATH}/${id}`,
      ({ status, total }) => status === 'completed' && total === 3,
    );
    expect(done.data.every((each: Body) => each.links.length > 0 && each.markdown === undefined)).toBe(true);
  });

  it('reports whether a page waited for a slot', async () => {
    const { key } = await makeTeam(db);
    const id = await startJob(PATH, { urls: slow(5, 400), maxAge: 0, maxConcurrency: 1 }, { key });
    const { data } = await finished(PATH, id, { key });
    const [first, last] = [data[0]!.metadata, data.at(-1)!.metadata];
    const waitOf = (metadata: { concurrencyLimited: boolean; concurrencyQueueDurationMs?: number }) => {
      const { concurrencyLimited, concurrencyQueueDurationMs: waitMs } = metadata;
      expect(concurrencyLimited).toBe(waitMs !== undefined);
      return waitMs ?? 0;
    };
    expect(last).toMatchObject({ concurrencyLimited: true });
    // On a busy machine, the first page waits a moment too.
    expect(waitOf(last)).toBeGreaterThan(waitOf(first));
  });

  it('continues when it is paused and resumed at once, several times', async () => {
    const { key } = await makeTeam(db);
    const id = await startJob(PATH, { urls: slow(4, 500), maxAge: 0, maxConcurrency: 1 }, { key });
    for (let round = 0; round < 5; round++) {
      for (const action of ['pause', 'resume'])
        await call(`${PATH}/${id}/${action}`, { method: 'POST', key });
    }
    expect(await finished(PATH, id, { key })).toMatchObject({ status: 'completed', completed: 4 });
  });

  it('starts no page while it is paused, and accepts a new concurrency and delay', async () => {
    const { key } = await makeTeam(db);
    await using page = await startHeldPage();
    const order = { urls: page.urls(6), maxAge: 0, maxConcurrency: 1, ...HELD };
    const id = await startJob(PATH, order, { key });
    await page.requested;
    const paused = await call(`${PATH}/${id}/pause`, { method: 'POST', key });
    expect(paused.body).toMatchObject({ success: true, status: 'scraping', paused: true, maxConcurrency: 1 });
    page.release();
    await untilStatus('/v2/concurrency-check', ({ concurrency }) => concurrency === 0, { key });
    const tuned = await call(`${PATH}/${id}/retune`, { body: { maxConcurrency: 5, delay: 0.1 }, key });
    expect(tuned.body).toMatchObject({ paused: true, maxConcurrency: 5, delay: 0.1, limit: null });
    expect((await call(`${PATH}/${id}`, { key })).body).toMatchObject({ status: 'scraping', paused: true });
    expect(page.requests()).toBe(1);
    await call(`${PATH}/${id}/resume`, { method: 'POST', key });
    expect(await finished(PATH, id, { key })).toMatchObject({ status: 'completed', completed: 6 });
    const limited = await call(`${PATH}/${id}/retune`, { body: { limit: 5 }, key });
    expect(limited).toMatchObject({ status: 400, body: { error: expect.stringContaining('limit') } });
    expect((await call(`${PATH}/${id}/retune`, { body: {}, key })).status).toBe(400);
  });

  it('refuses to retry pages once it was cancelled', async () => {
    await using page = await startHeldPage();
    const id = await startJob(PATH, { urls: [page.url], fastMode: true });
    await call(`${PATH}/${id}`, { method: 'DELETE' });
    expect(await call(`${PATH}/${id}/retry`, { method: 'POST' })).toMatchObject({
      status: 409,
      body: { success: false, code: 'JOB_ENDED' },
    });
  });
});

describe('an idempotency key', () => {
  const post = (urls: string[], key: string) =>
    call(PATH, { body: { urls }, headers: { 'x-idempotency-key': key } });

  it('returns the first response again and starts no second job', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(articles(1), key)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await finished(PATH, answers[0]!.body.id);
    expect((await post(articles(1), key)).body).toEqual(answers[0]!.body);
  });

  it('may come in the header of other APIs, Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await call(PATH, { body: { urls: articles(1) }, headers });
    expect((await call(PATH, { body: { urls: articles(1) }, headers })).body.id).toBe(first.body.id);
    expect((await call(PATH, { body: { urls: articles(2) }, headers })).status).toBe(409);
  });

  it('is refused when it comes with a different request', async () => {
    const key = randomUUID();
    await post(articles(1), key);
    const other = await post(articles(2), key);
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(other.body.error).toContain('Idempotency key already used');
  });
});

describe('a batch and its team', () => {
  it('is refused unless the credits cover all its pages, and charges what it uses', async () => {
    const team = await makeTeam(db, { credits: 3 });
    const tooMany = await call(PATH, { body: { urls: articles(4) }, key: team.key });
    expect(tooMany).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_CREDITS' } });
    const id = await startJob(PATH, { urls: articles(3) }, { key: team.key });
    await finished(PATH, id, { key: team.key });
    expect((await findTeam(db, team.name)).credits_remaining).toBe(0);
  });

  it('is not found by another team', async () => {
    const id = await startJob(PATH, { urls: articles(1) });
    const { key } = await makeTeam(db);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/errors'],
      ['DELETE', ''],
      ['POST', '/pause'],
    ] as const) {
      const answer = await call(`${PATH}/${id}${path}`, { method, key });
      expect(answer).toMatchObject({
        status: 404,
        body: { success: false, error: expect.stringContaining('Job not found') },
      });
    }
    await finished(PATH, id);
  });

  it('is not found under the path of crawls or under an invalid id', async () => {
    const id = await startJob(PATH, { urls: articles(1) });
    expect((await call(`/v2/crawl/${id}`)).status).toBe(404);
    expect((await call(`${PATH}/${randomUUID()}`)).status).toBe(404);
    expect((await call(`${PATH}/abc`)).body).toMatchObject({
      error: expect.stringContaining('Invalid job ID format'),
    });
    await finished(PATH, id);
  });

  it('is listed in the activity of its team', async () => {
    const { key } = await makeTeam(db);
    const id = await startJob(PATH, { urls: articles(2) }, { key });
    const { body } = await call('/v2/team/activity?endpoint=batch_scrape&limit=1', { key });
    expect(body.data[0]).toMatchObject({
      id,
      endpoint: 'batch_scrape',
      target: expect.stringContaining('and 1 more'),
    });
    await finished(PATH, id, { key });
  });
});
