import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { addPageCounts, deleteOldPageCounts } from '../../src/storage/db/teams/page-usage.ts';
import { changeTeam, revokeKey } from '../../src/storage/db/teams/teams.ts';
import { call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { startJob } from '../support/api/jobs.ts';
import { htmlFile, parse } from '../support/api/parse.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { giveKey, makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Limits, credits and reports of teams. */

const service = useService();

const site = useSite();
const db = useDatabase();

const scrapeAs = ({ key }: TestTeam, body: Record<string, unknown>) => call('/v2/scrape', { key, body });
const ask = ({ key }: TestTeam, path: string) => call(path, { key });

async function creditsOf(team: TestTeam): Promise<number> {
  return (await ask(team, '/v2/team/credit-usage')).body.data.remainingCredits;
}

describe('credits', () => {
  it('are deducted exactly, as the ledger shows', async () => {
    const team = await makeTeam(db, { credits: 12 });
    const url = `${site.url}/article/21?credits`;
    const steps: [name: string, body: Record<string, unknown>, left: number][] = [
      ['a page', { url }, 11],
      ['a copy from the cache', { url }, 10],
      ['every format at once', { url, formats: ['markdown', 'html', 'links', 'rawHtml', 'images'] }, 9],
      ['a page that is missing', { url: `${site.url}/status/404` }, 8],
      ['a host that does not exist', { url: 'http://no-such-host.invalid/' }, 7],
      ['a connection that breaks', { url: `${site.url}/reset` }, 7],
      ['a page slower than its timeout', { url: `${site.url}/slow/20000/page`, timeout: 1000 }, 7],
      ['an address that is refused', { url: 'http://169.254.169.254/' }, 7],
      ['a body that does not fit', { url, timeout: 1 }, 7],
      ['minAge without a copy', { url: `${url}&never`, minAge: 1 }, 7],
      ['lockdown without a copy', { url: `${url}&never`, lockdown: true }, 6],
      ['lockdown with one', { url, lockdown: true }, 1],
      ['a last page', { url }, 0],
    ];
    for (const [name, body, left] of steps) {
      const { body: answer } = await scrapeAs(team, body);
      expect([name, await creditsOf(team), answer.code]).toEqual([name, left, answer.code]);
      if (answer.success) expect(answer.data.metadata.creditsUsed).toBe(name === 'lockdown with one' ? 5 : 1);
    }
    const { body } = await ask(team, '/v2/team/credit-usage/historical');
    expect(body.periods).toMatchObject([{ totalCredits: 12, creditsUsed: 12 }]);
    expect((await ask(team, '/v2/team/credit-usage')).body.data.planCredits).toBe(12);
    expect((await ask(team, '/v2/team/token-usage')).body.data).toMatchObject({
      remainingTokens: 0,
      planTokens: 180,
    });
  });

  it('that are used up make the API refuse scrapes before it validates them, and nothing else', async () => {
    const team = await makeTeam(db, { credits: 0 });
    const refused = await scrapeAs(team, { nonsense: true });
    expect([refused.status, refused.body.success, refused.body.code]).toEqual([
      402,
      false,
      'INSUFFICIENT_CREDITS',
    ]);
    expect(refused.body.error).toMatch(
      /^Insufficient credits: this request needs 1, but the team has 0 left/,
    );
    expect((await ask(team, '/v2/team/activity')).body).toMatchObject({ success: true, data: [] });
  });

  it('must suffice for what a request is expected to cost, and results can be read without any', async () => {
    const team = await makeTeam(db, { credits: 2 });
    const url = `${site.url}/article/22?owed`;
    const first = await scrapeAs(team, { url });
    const { status, body } = await scrapeAs(team, { url, lockdown: true });
    expect([status, body.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect(body.error).toContain('this request needs 5, but the team has 1 left');
    await changeTeam(db, team.name, { credits: -4 });
    expect(await creditsOf(team)).toBe(-4);
    const result = await ask(team, `/v2/scrape/${first.body.data.metadata.scrapeId}`);
    expect(result.body.status).toBe('completed');
  });

  it('that the operator adds are available at once', async () => {
    const team = await makeTeam(db, { credits: 0 });
    await changeTeam(db, team.name, { credits: 1 });
    expect((await scrapeAs(team, { url: `${site.url}/article/21` })).status).toBe(200);
    await changeTeam(db, team.name, { credits: null });
    expect(await creditsOf(team)).toBe(999_999_999);
  });
});

describe('the rate limit', () => {
  it('lets exactly that many requests through at once, and never limits reading', async () => {
    const team = await makeTeam(db, { rateLimitPerMinute: 3 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => scrapeAs(team, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, 429, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ success: false, code: 'RATE_LIMITED' });
    expect(refused.body.error).toMatch(
      /^Rate limit exceeded\. Consumed \(req\/min\): \d+, Remaining \(req\/min\): 0\./,
    );
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    for (const path of ['/v2/team/activity', '/v2/team/queue-status', '/v2/concurrency-check'])
      expect((await ask(team, path)).status, path).toBe(200);
    expect((await ask(team, `/v2/scrape/${uuidv7()}`)).status).toBe(404);
  });

  it('counts changes to jobs and events that are sent again by themselves, with a fifth of the limit', async () => {
    const team = await makeTeam(db, { rateLimitPerMinute: 40 });
    const id = uuidv7();
    const changes = ['crawl', 'batch/scrape'].flatMap((kind) =>
      ['pause', 'resume', 'retune', 'retry'].map((action) => `/v2/${kind}/${id}/${action}`),
    );
    const change = (path: string) => call(path, { key: team.key, body: { maxConcurrency: 1 } });
    for (const path of changes) expect((await change(path)).status, path).not.toBe(429);
    for (const path of [...changes, `/v2/webhooks/deliveries/${id}/redeliver`]) {
      const { status, body, headers } = await change(path);
      expect([status, body.code], path).toEqual([429, 'RATE_LIMITED']);
      expect(Number(headers.get('retry-after')), path).toBeGreaterThanOrEqual(1);
    }
    for (const path of [`/v2/crawl/${id}`, `/v2/batch/scrape/${id}`])
      expect((await call(path, { key: team.key, method: 'DELETE' })).status, path).toBe(404);
    expect((await scrapeAs(team, {})).status).toBe(400);
  });

  it('applies to the team and not to the key', async () => {
    const team = await makeTeam(db, { rateLimitPerMinute: 1 });
    const second = { ...team, key: await giveKey(db, team.id, 'second') };
    expect((await scrapeAs(team, {})).status).toBe(400);
    expect((await scrapeAs(second, {})).status).toBe(429);
    const stranger = await makeTeam(db, { rateLimitPerMinute: 1 });
    expect((await scrapeAs(stranger, {})).status).toBe(400);
  });
});

describe('keys and teams', () => {
  it('a revoked key is refused, and another key of the team still works', async () => {
    const team = await makeTeam(db);
    const second = { ...team, key: await giveKey(db, team.id, 'second') };
    await revokeKey(db, team.id, 'first');
    const refused = await ask(team, '/v2/team/credit-usage');
    expect([refused.status, refused.body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(refused.body.error).toMatch(/^Unauthorized: Invalid token/);
    expect((await ask(second, '/v2/team/credit-usage')).status).toBe(200);
  });

  it('keys are stored as hashes only', async () => {
    const team = await makeTeam(db);
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(api_keys)::text as row from api_keys where team_id = ${team.id}`.execute(db.query);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(team.key);
    expect(rows[0]?.row).toContain(team.key.slice(-4));
  });

  it('another team’s scrape gets the same response as one that does not exist', async () => {
    const [owner, stranger] = [await makeTeam(db), await makeTeam(db)];
    const { body } = await scrapeAs(owner, { url: `${site.url}/article/23` });
    const path = `/v2/scrape/${body.data.metadata.scrapeId}`;
    expect((await ask(owner, path)).body.data).toEqual(body.data);
    const { scrapeId } = body.data.metadata;
    const unknown = randomUUID();
    const refused = await ask(stranger, path);
    expect([refused.status, refused.body.code]).toEqual([404, 'NOT_FOUND']);
    const missing = await ask(stranger, `/v2/scrape/${unknown}`);
    expect(refused.body.error.replace(scrapeId, unknown)).toBe(missing.body.error);
    expect((await ask(stranger, '/v2/team/activity')).body.data).toEqual([]);
  });

  it('without authentication any key or none is the first team, and the key of another team remains its own', async () => {
    await using open = await startApi({ WINNOW_AUTH: 'off' });
    const team = await makeTeam(db, { credits: 7 });
    const left = async (key: string | null) =>
      (await call('/v2/team/credit-usage', { url: open.url, key })).body.data.remainingCredits;
    expect([await left(null), await left('dummy'), await left(team.key)]).toEqual([
      999_999_999, 999_999_999, 7,
    ]);
    const body = { url: `${site.url}/article/24` };
    const { status, body: answer } = await call('/v2/scrape', { url: open.url, key: null, body });
    expect([status, answer.success]).toEqual([200, true]);
    const { key } = service;
    const read = await call(`/v2/scrape/${answer.data.metadata.scrapeId}`, { key });
    expect(read.body.data.metadata.sourceURL).toBe(body.url);
  });
});

describe('activity', () => {
  /** Writes finished jobs down, oldest last. */
  async function insertJobs(
    team: TestTeam,
    count: number,
    kind: string,
    createdAt: string,
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, () => uuidv7());
    await db.query
      .insertInto('jobs')
      .values(
        ids.map((id, index) => ({
          id,
          team_id: team.id,
          api_key_id: null,
          kind,
          target: `http://target.test/${index}`,
          request: '{}',
          status: 'completed' as const,
          created_at: sql<Date>`${sql.raw(createdAt)}`,
          expires_at: new Date(Date.now() + 60_000),
        })),
      )
      .execute();
    return ids;
  }

  it('is paged without gaps and repetitions, also among equal times', async () => {
    const team = await makeTeam(db);
    const hourAgo = `date_trunc('second', now()) - interval '1 hour'`;
    const ids = [
      ...(await insertJobs(team, 130, 'scrape', hourAgo)),
      // Within one millisecond, apart by microseconds.
      ...(await insertJobs(team, 10, 'scrape', `${hourAgo} + interval '100 microseconds'`)),
      ...(await insertJobs(team, 10, 'scrape', `${hourAgo} + interval '900 microseconds'`)),
      ...(await insertJobs(team, 5, 'scrape', `${hourAgo} + interval '2 milliseconds'`)),
    ];
    await insertJobs(team, 3, 'scrape', `now() - interval '25 hours'`);
    for (const limit of [7, 100]) {
      const seen: { id: string; created_at: string }[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await ask(
          team,
          `/v2/team/activity?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        );
        expect(body.has_more).toBe(body.cursor !== null);
        expect(body.data.length).toBe(Math.min(limit, ids.length - seen.length));
        seen.push(...body.data);
        cursor = body.cursor;
      }
      expect(seen.map(({ id }) => id).sort()).toEqual([...ids].sort());
      const times = seen.map(({ created_at }) => created_at);
      expect(times).toEqual([...times].sort().reverse());
    }
  });

  it('lists fifty jobs by default, filters by endpoint, and shows the target', async () => {
    const team = await makeTeam(db);
    await insertJobs(team, 60, 'scrape', `now() - interval '2 hours'`);
    const crawls = await insertJobs(team, 2, 'crawl', `now() - interval '3 hours'`);
    expect((await ask(team, '/v2/team/activity')).body.data).toHaveLength(50);
    const filtered = (await ask(team, '/v2/team/activity?endpoint=crawl')).body;
    expect(filtered.data.map(({ id }: { id: string }) => id).sort()).toEqual(crawls.sort());
    expect([filtered.has_more, filtered.cursor]).toEqual([false, null]);
    const url = `${site.url}/article/25`;
    const { body } = await scrapeAs(team, { url });
    const [newest] = (await ask(team, '/v2/team/activity?limit=1')).body.data;
    expect(newest).toEqual({
      id: body.data.metadata.scrapeId,
      endpoint: 'scrape',
      api_version: 'v2',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      target: url,
    });
  });

  it.each(['nonsense', Buffer.from('["x","y"]').toString('base64url'), ''])(
    'refuses the cursor %j',
    async (cursor) => {
      const { status, body } = await call(`/v2/team/activity?cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
      expect(body.error).toContain('cursor');
    },
  );
});

describe('historical usage', () => {
  it('is summed by calendar month, and by the name of the key', async () => {
    const team = await makeTeam(db);
    await giveKey(db, team.id, 'second');
    const entry = (keyName: string | null, credits: number, createdAt: string) =>
      sql`
      insert into credit_entries (job_id, ordinal, team_id, api_key_id, credits, created_at)
      values (${uuidv7()}, 0, ${team.id}, (select id from api_keys where team_id = ${team.id} and name = ${keyName}),
        ${credits}, ${createdAt})`.execute(db.query);
    await entry('first', 3, '2026-01-01T00:00:00Z');
    await entry('second', 4, '2026-01-31T23:59:59.999Z');
    await entry('first', 5, '2026-02-01T00:00:00Z');
    await entry('first', 6, '2026-02-10T00:00:00Z');
    await entry(null, 2, '2026-02-11T00:00:00Z');
    await revokeKey(db, team.id, 'second');

    const january = { startDate: '2026-01-01T00:00:00.000Z', endDate: '2026-02-01T00:00:00.000Z' };
    const february = { startDate: '2026-02-01T00:00:00.000Z', endDate: '2026-03-01T00:00:00.000Z' };
    const credits = (count: number) => ({ totalCredits: count, creditsUsed: count });
    const tokens = (count: number) => ({ totalTokens: count, tokensUsed: count });
    expect((await ask(team, '/v2/team/credit-usage/historical')).body).toEqual({
      success: true,
      periods: [
        { ...january, ...credits(7) },
        { ...february, ...credits(13) },
      ],
    });
    expect((await ask(team, '/v2/team/credit-usage/historical?byApiKey=true')).body.periods).toEqual([
      { ...january, apiKey: 'first', ...credits(3) },
      { ...january, apiKey: 'second', ...credits(4) },
      { ...february, apiKey: 'first', ...credits(11) },
      { ...february, apiKey: '', ...credits(2) },
    ]);
    expect((await ask(team, '/v2/team/token-usage/historical')).body.periods).toEqual([
      { ...january, ...tokens(105) },
      { ...february, ...tokens(195) },
    ]);
    expect((await ask(team, '/v2/team/token-usage/historical?byApiKey=true')).body.periods[0]).toEqual({
      ...january,
      apiKey: 'first',
      ...tokens(45),
    });
    expect((await ask(team, '/v2/team/credit-usage/historical?byApiKey=perhaps')).status).toBe(400);

    const months = (await ask(team, '/v2/team/credit-usage/historical')).body.periods;
    expect((await ask(team, '/v2/team/credit-usage/historical?timeRange=month')).body.periods).toEqual(
      months,
    );
    // Weeks begin on Monday, also in the year before.
    const week = (start: string, end: string) => ({
      startDate: `${start}T00:00:00.000Z`,
      endDate: `${end}T00:00:00.000Z`,
    });
    expect((await ask(team, '/v2/team/credit-usage/historical?timeRange=week')).body.periods).toEqual([
      { ...week('2025-12-29', '2026-01-05'), ...credits(3) },
      { ...week('2026-01-26', '2026-02-02'), ...credits(9) },
      { ...week('2026-02-09', '2026-02-16'), ...credits(8) },
    ]);
    expect((await ask(team, '/v2/team/token-usage/historical?timeRange=day')).body.periods).toEqual([
      { ...week('2026-01-01', '2026-01-02'), ...tokens(45) },
      { ...week('2026-01-31', '2026-02-01'), ...tokens(60) },
      { ...week('2026-02-01', '2026-02-02'), ...tokens(75) },
      { ...week('2026-02-10', '2026-02-11'), ...tokens(90) },
      { ...week('2026-02-11', '2026-02-12'), ...tokens(30) },
    ]);
  });

  it('lists the credits of each hour of the last week', async () => {
    const team = await makeTeam(db);
    const hour = new Date().toISOString().replace(/:.*/, ':00:00.000Z');
    const hoursAgo = (hours: number) => new Date(Date.parse(hour) - hours * 3_600_000).toISOString();
    const add = (credits: number, at: string) =>
      sql`
      insert into credit_entries (job_id, ordinal, team_id, credits, created_at)
      values (${uuidv7()}, 0, ${team.id}, ${credits}, ${at})`.execute(db.query);
    await add(3, hoursAgo(0));
    await add(4, hoursAgo(26));
    await add(5, hoursAgo(26).replace(':00:00.', ':59:59.'));
    await add(9, hoursAgo(8 * 24));
    expect((await ask(team, '/v2/team/credit-usage/historical?timeRange=hour')).body.periods).toEqual([
      { startDate: hoursAgo(26), endDate: hoursAgo(25), totalCredits: 9, creditsUsed: 9 },
      { startDate: hour, endDate: hoursAgo(-1), totalCredits: 3, creditsUsed: 3 },
    ]);
  });

  it.each(['timeRange=year', 'timeRange=', 'timeRange=week&byApiKey=true'])('refuses %s', async (query) => {
    for (const kind of ['credit', 'token']) {
      const { status, body } = await call(`/v2/team/${kind}-usage/historical?${query}`);
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    }
  });
});

describe('the report on pages', () => {
  const report = async (team: TestTeam) => (await ask(team, '/v2/team/page-usage')).body.data;
  const counted = (team: TestTeam, pages: number) =>
    pollUntil(async () => {
      const data: { pages: number }[] = await report(team);
      return data.reduce((sum, each) => sum + each.pages, 0) === pages && data;
    });

  it('counts scrapes and the pages of batches by engine and outcome', async () => {
    const team = await makeTeam(db);
    await using pages = await startPages({ '/one': 'one', '/two': 'two' });
    await scrapeAs(team, { url: `${pages.url}/one` });
    await scrapeAs(team, { url: `${pages.url}/missing` });
    await scrapeAs(team, { url: 'http://no-such-host.invalid/' });
    const urls = [`${pages.url}/one`, `${pages.url}/two`];
    await startJob('/v2/batch/scrape', { urls, maxAge: 0 }, { key: team.key });
    await parse(htmlFile('Tea'), {}, { key: team.key });
    const date = new Date().toISOString().slice(0, 10);
    expect(await counted(team, 6)).toEqual([
      { date, engine: 'http', outcome: 'completed', pages: 3 },
      { date, engine: 'http', outcome: 'failed', pages: 1 },
      { date, engine: 'http', outcome: 'http_error', pages: 1 },
      { date, engine: 'upload', outcome: 'completed', pages: 1 },
    ]);
    expect(await report(await makeTeam(db))).toEqual([]);
  });

  it('adds up the counts of several workers, of days that are not too long ago', async () => {
    const team = await makeTeam(db);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const count = (day: string, pages: number) =>
      ({ teamId: team.id, day, engine: 'http', outcome: 'completed', pages }) as const;
    const unknown = { ...count(daysAgo(1), 1), teamId: randomUUID() };
    await addPageCounts(db, [count(daysAgo(1), 100_000), count(daysAgo(100), 7), unknown]);
    await addPageCounts(db, [count(daysAgo(1), 5)]);
    await deleteOldPageCounts(db);
    const kept = { date: daysAgo(1), engine: 'http', outcome: 'completed', pages: 100_005 };
    expect(await report(team)).toEqual([kept]);
  });
});

describe('the list of limits', () => {
  it('has what is used of each', async () => {
    const team = await makeTeam(db, { credits: 10 });
    await changeTeam(db, team.name, { openJobs: 7, storedMegabytes: 9, modelTokensPerDay: 1000 });
    await scrapeAs(team, { url: `${site.url}/article/3` });
    const { status, body } = await ask(team, '/v2/team/limits');
    expect([status, body.data]).toEqual([
      200,
      {
        requestsPerMinute: { limit: 5000, used: 1 },
        concurrency: { limit: 50, used: 0 },
        sessions: { limit: expect.any(Number), used: 0 },
        openJobs: { limit: 7, used: 0 },
        monitors: { limit: expect.any(Number), used: 0 },
        storedMegabytes: { limit: 9, used: 0 },
        credits: { limit: 10, used: 1 },
        modelTokensPerDay: { limit: 1000, used: 0 },
      },
    ]);
  });

  it('has no limit for what is unlimited', async () => {
    const team = await makeTeam(db);
    const { body } = await ask(team, '/v2/team/limits');
    expect(body.data).toMatchObject({ openJobs: { limit: null }, credits: { limit: null, used: 0 } });
  });
});

describe('concurrency', () => {
  it('makes further scrapes wait, and their metadata say so', async () => {
    const team = await makeTeam(db, { concurrency: 1 });
    expect((await ask(team, '/v2/team/queue-status')).body).toEqual({
      success: true,
      jobsInQueue: 0,
      activeJobsInQueue: 0,
      waitingJobsInQueue: 0,
      maxConcurrency: 1,
      mostRecentSuccess: null,
    });
    const held = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (_request, response) => {
        await held.promise;
        response.end('<p>Held back</p>');
      },
    });
    const patient = { maxAge: 0, timeout: 300_000 };
    const first = scrapeAs(team, { url: pages.url, fastMode: true, ...patient });
    await until(async () => (await ask(team, '/v2/concurrency-check')).body.concurrency === 1);
    const second = scrapeAs(team, { url: `${site.url}/article/27`, ...patient });
    const third = scrapeAs(team, { url: `${site.url}/article/29`, ...patient });
    const queue = await pollUntil(async () => {
      const { body } = await ask(team, '/v2/team/queue-status');
      return body.jobsInQueue === 3 && body;
    });
    expect(queue).toMatchObject({
      activeJobsInQueue: 1,
      waitingJobsInQueue: 2,
      maxConcurrency: 1,
    });
    expect((await ask(team, '/v2/concurrency-check')).body).toEqual({
      success: true,
      concurrency: 1,
      maxConcurrency: 1,
    });

    // It gives up after two thirds of its timeout.
    const refused = await scrapeAs(team, { url: `${site.url}/article/28`, maxAge: 0, timeout: 15_000 });
    expect([refused.status, refused.body.code]).toEqual([408, 'CONCURRENCY_QUEUE_TIMEOUT']);
    held.resolve();
    expect((await first).body.data.metadata).toMatchObject({ concurrencyLimited: false });
    expect((await first).body.data.metadata).not.toHaveProperty('concurrencyQueueDurationMs');
    const { metadata } = (await second).body.data;
    expect(metadata.concurrencyLimited).toBe(true);
    expect(metadata.concurrencyQueueDurationMs).toBeGreaterThan(0);
    expect((await third).status).toBe(200);
    expect(site.hits('/article/28')).toBe(0);

    const after = (await ask(team, '/v2/team/queue-status')).body;
    expect(after).toMatchObject({ jobsInQueue: 0, activeJobsInQueue: 0, waitingJobsInQueue: 0 });
    expect(after.mostRecentSuccess).toMatch(/^\d{4}-/);
  });

  it('counts every open page of a batch in the queue, and when the last one succeeded', async () => {
    const team = await makeTeam(db, { concurrency: 2 });
    const answers: (() => void)[] = [];
    await using pages = await startPages({
      '/': (_request, response) => void answers.push(() => response.end('<p>Held back</p>')),
    });
    const urls = Array.from({ length: 6 }, (_, index) => `${pages.url}/?${index}`);
    const held = { fastMode: true, timeout: 300_000 };
    const id = await startJob('/v2/batch/scrape', { urls, maxConcurrency: 1, ...held }, team);
    const queue = async () => (await ask(team, '/v2/team/queue-status')).body;
    expect(await queue()).toMatchObject({ jobsInQueue: 6, mostRecentSuccess: null });
    await until(async () => answers.length === 1);
    answers[0]!();
    await until(async () => {
      const { jobsInQueue, activeJobsInQueue, waitingJobsInQueue } = await queue();
      expect(activeJobsInQueue + waitingJobsInQueue).toBe(jobsInQueue);
      return jobsInQueue === 5 && activeJobsInQueue === 1;
    });
    const { mostRecentSuccess } = await queue();
    expect(mostRecentSuccess).toMatch(/^\d{4}-/);
    const slow = scrapeAs(team, { url: `${pages.url}/?slow`, ...held });
    await until(async () => (await ask(team, '/v2/concurrency-check')).body.concurrency === 2);
    const both = await queue();
    expect(both).toMatchObject({ activeJobsInQueue: 2, waitingJobsInQueue: both.jobsInQueue - 2 });
    expect(both.jobsInQueue).toBeGreaterThan(2);
    await call(`/v2/batch/scrape/${id}`, { method: 'DELETE', key: team.key });
    await until(async () => answers.length === 3);
    for (const answer of answers.slice(1)) answer();
    await slow;
    const after = await queue();
    expect(after).toMatchObject({ jobsInQueue: 0, activeJobsInQueue: 0, waitingJobsInQueue: 0 });
    expect(Date.parse(after.mostRecentSuccess)).toBeGreaterThanOrEqual(Date.parse(mostRecentSuccess));
  });

  async function until(reached: () => Promise<boolean>): Promise<void> {
    await pollUntil(reached);
  }
});
