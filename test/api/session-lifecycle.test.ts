import { sql } from 'kysely';
import { chromium as playwright } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { priceOfSession } from '../../src/credits.ts';
import { performOnce } from '../../src/storage/db/idempotency.ts';
import { areSessionsCovered } from '../../src/storage/db/sessions.ts';
import { changeTeam } from '../../src/storage/db/teams/teams.ts';
import { call } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, storeSession, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** Starts and ends of browser sessions, and the requests that arrive meanwhile. */

const db = useDatabase();
const temporal = useTemporal();
let team: TestTeam;
beforeAll(async () => {
  team = await makeTeam(db);
});

const create = (body: Record<string, unknown> = {}, key = team.key) => call('/v2/browser', { body, key });
const remove = (id: string, key = team.key) => call(`/v2/browser/${id}`, { method: 'DELETE', key });
const execute = (id: string, code: string, key = team.key) =>
  call(`/v2/browser/${id}/execute`, { body: { code, timeout: 300 }, key });
const interact = (id: string, code: string, key = team.key) =>
  call(`/v2/scrape/${id}/interact`, { body: { code, timeout: 300 }, key });

/** A page that responds at once to its first visitor, and to later ones when `release` is called. */
async function startGatedPage() {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  let visits = 0;
  const pages = await startPages({
    '/': async (_request, response) => {
      if (visits++ > 0) await gate;
      response.setHeader('Content-Type', 'text/html').end('<title>gated</title><p>a page</p>');
    },
  });
  return {
    url: `${pages.url}/`,
    release,
    async [Symbol.asyncDispose]() {
      release();
      await pages[Symbol.asyncDispose]();
    },
  };
}

/**
 * Continues the scrape of a gated page.
 * @returns the request that waits for the page, and the id of the session
 */
async function startGatedSession(url: string) {
  const { body } = await call('/v2/scrape', { body: { url }, key: team.key });
  const scrapeId: string = body.data.metadata.scrapeId;
  const first = interact(scrapeId, 'await page.title()');
  const row = await pollUntil(() =>
    db.query
      .selectFrom('browser_sessions')
      .select(['id', 'state'])
      .where('scrape_id', '=', scrapeId)
      .executeTakeFirst(),
  );
  expect(row.state).toBe('creating');
  return { scrapeId, first, id: row.id };
}

describe('while a session starts', () => {
  it('code, protocol clients, viewers and further calls wait for its browser', async () => {
    await using page = await startGatedPage();
    const { scrapeId, first, id } = await startGatedSession(page.url);
    const { body: state } = await call(`/v2/browser/${id}`, { key: team.key });
    expect(state).toMatchObject({ status: 'active', cdpUrl: expect.any(String) });
    const viewer = new WebSocket(state.liveViewUrl.replace(/^http/, 'ws'));
    const opened = new Promise((resolve, reject) => viewer.once('open', resolve).once('error', reject));
    const waiting = [execute(id, 'await page.title()'), interact(scrapeId, 'await page.title()')];
    const connecting = playwright.connectOverCDP(state.cdpUrl, { timeout: 0 });
    const files = call(`/v2/browser/${id}/downloads`, { key: team.key });
    page.release();
    for (const { status, body } of await Promise.all([first, ...waiting]))
      expect({ status, result: body.result, sessionId: body.sessionId ?? id }).toEqual({
        status: 200,
        result: 'gated',
        sessionId: id,
      });
    expect((await files).body.files).toEqual([]);
    await opened;
    viewer.terminate();
    await (await connecting).close();
    expect((await remove(id)).body.success).toBe(true);
  });

  it('a request to delete it ends it at once and costs nothing, and those who wait get 410', async () => {
    await using page = await startGatedPage();
    const { scrapeId, first, id } = await startGatedSession(page.url);
    const waiting = execute(id, '1');
    expect((await remove(id)).body).toMatchObject({ success: true, sessionDurationMs: 0, creditsBilled: 0 });
    for (const answer of [first, waiting, interact(scrapeId, '1'), remove(id)])
      expect(await answer).toMatchObject({ status: 410, body: { code: 'SESSION_DESTROYED' } });
  });
});

describe('a session whose API process died before it could start', () => {
  const insert = (key?: string) =>
    performOnce(db, { teamId: team.id, key, request: ['browser', { ttl: 600 }] }, (query) =>
      storeSession(query, team.id, { ttlSeconds: 600, activityTtlSeconds: 600 }),
    );

  it('is started by the repeated request with the same idempotency key', async () => {
    const key = crypto.randomUUID();
    const id = await insert(key);
    const repeated = () =>
      call('/v2/browser', { body: { ttl: 600 }, key: team.key, headers: { 'x-idempotency-key': key } });
    const answers = await Promise.all([repeated(), repeated()]);
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
      [200, id],
      [200, id],
    ]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect((await execute(id, '6 * 7')).body.result).toBe('42');
    await remove(id);
    const afterItsEnd = await repeated();
    expect(afterItsEnd).toMatchObject({ status: 200, body: answers[0]?.body });
    expect((await execute(id, '1')).status).toBe(410);
  });

  it('can be deleted, and costs nothing', async () => {
    const id = await insert();
    expect((await remove(id)).body).toMatchObject({ success: true, sessionDurationMs: 0, creditsBilled: 0 });
  });
});

it('a session that could not start can be started with the same idempotency key', async () => {
  const key = crypto.randomUUID();
  const profile = { name: `profile-${key}` };
  const saver = await create({ profile });
  const start = () =>
    call('/v2/browser', { body: { profile }, key: team.key, headers: { 'x-idempotency-key': key } });
  expect(await start()).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED' } });
  const { body: list } = await call('/v2/browser', { key: team.key });
  expect(list.sessions.filter(({ endReason }: { endReason?: string }) => endReason === 'failed')).toEqual([]);
  await remove(saver.body.id);
  const started = await start();
  expect(started.status).toBe(200);
  expect((await start()).body).toEqual(started.body);
  await remove(started.body.id);
});

describe('code that runs', () => {
  it('keeps its session active for longer than the activityTtl', async () => {
    const { body } = await create({ activityTtl: 10 });
    const code = 'await new Promise((done) => setTimeout(() => done("done"), 15_000))';
    expect((await execute(body.id, code)).body).toMatchObject({ success: true, result: 'done' });
    expect((await call(`/v2/browser/${body.id}`, { key: team.key })).body.status).toBe('active');
    await remove(body.id);
  });

  it('is interrupted by the end of its session, and its caller learns why', async () => {
    const { body } = await create();
    const running = execute(body.id, 'console.log("begun"); await new Promise(() => {})');
    // The second request could otherwise arrive first.
    await usageOf(body.id, ({ calls }) => calls === 1);
    const waiting = execute(body.id, '1');
    await usageOf(body.id, ({ calls }) => calls === 2);
    expect((await remove(body.id)).body.success).toBe(true);
    for (const answer of [running, waiting])
      expect(await answer).toMatchObject({
        status: 410,
        body: {
          success: false,
          code: 'SESSION_DESTROYED',
          error: expect.stringContaining('closed by its owner'),
        },
      });
  });
});

/** The workflow of a session. */
const workflowOf = (id: string) => temporal.workflow(`browser/${id}`);

/** Waits until the use of a session that the Temporal UI shows meets a condition. */
const usageOf = (id: string, meets: (usage: { calls: number; viewers: number }) => boolean) =>
  pollUntil(async () => {
    const { raw } = await workflowOf(id).describe();
    const details = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
    const usage = details && JSON.parse(Buffer.from(details).toString());
    return usage && meets(usage) && usage;
  });

describe('a session whose workflow does not exist any more', () => {
  it('ends on its host, so that nobody uses it without a bill', async () => {
    const { body } = await create();
    const closed = new Promise((resolve) => new WebSocket(body.cdpUrl).once('close', resolve));
    await usageOf(body.id, () => true);
    await workflowOf(body.id).terminate('by a test');
    expect(await closed).toBe(4500);
    const item = await pollUntil(async () => {
      const { body: list } = await call('/v2/browser?status=error', { key: team.key });
      return list.sessions.find(({ id }: { id: string }) => id === body.id);
    });
    expect(item).toMatchObject({ status: 'destroyed', endReason: 'lost' });
    const price = priceOfSession({ durationMs: item.sessionDurationMs, prompted: false });
    expect(item.creditsBilled).toBe(price);
  });
});

describe('Temporal shows of a session', () => {
  it('its calls and viewers while it lasts, without a signal for each', async () => {
    const { body } = await create();
    const viewer = new WebSocket(body.liveViewUrl.replace(/^http/, 'ws'));
    for (const code of ['1', '2', '3']) await execute(body.id, code);
    await usageOf(body.id, ({ calls, viewers }) => calls === 3 && viewers === 1);
    viewer.terminate();
    await usageOf(body.id, ({ viewers }) => viewers === 0);
    await remove(body.id);
  });

  it('its state and times, and then the reason of its end, its duration and its price', async () => {
    const { body } = await create({ activityTtl: 60 });
    const details = async () => {
      const { currentDetails } = await workflowOf(body.id).query<{ currentDetails: string }>(
        '__temporal_workflow_metadata',
      );
      return currentDetails;
    };
    const active = await pollUntil(async () => /^\*\*Active\*\*/.test(await details()) && (await details()));
    expect(active).toMatch(/- last activity: \S+Z; it ends after 60 seconds without\n/);
    expect(active).toContain(`- ends at the latest: ${body.expiresAt}`);
    await execute(body.id, '1');
    const { body: ended } = await remove(body.id);
    expect(await details()).toBe(
      [
        '**Ended: deleted**\n',
        `- ${Math.round(ended.sessionDurationMs / 1000)} seconds`,
        `- ${ended.creditsBilled} credits`,
        '- calls: 1',
        '- viewers at most: 0',
      ].join('\n'),
    );
  });
});

describe('the credits of a team', () => {
  it('that are used up end its sessions, which are billed in full, and no new one starts', async () => {
    const poor = await makeTeam(db, { credits: 2 });
    const { body } = await create({}, poor.key);
    expect((await execute(body.id, '1', poor.key)).status).toBe(200);
    await sql`update browser_sessions set opened_at = now() - interval '61 seconds' where id = ${body.id}`.execute(
      db.query,
    );
    const { endReason } = await pollUntil(async () => {
      const { body: state } = await call(`/v2/browser/${body.id}`, { key: poor.key });
      return state.status === 'destroyed' && state;
    });
    expect(endReason).toBe('credits');
    const { credits } = await db.query
      .selectFrom('credit_entries')
      .select('credits')
      .where('job_id', '=', body.id)
      .executeTakeFirstOrThrow();
    expect(credits).toBeGreaterThan(2);
    expect(await create({}, poor.key)).toMatchObject({ status: 402 });
  });

  it('have to cover all its open sessions together, each by the second after the first minute', async () => {
    const rich = await makeTeam(db, { credits: 10 });
    const open = async (seconds: number, prompted = false) => {
      const id = await db.query.transaction().execute((query) => storeSession(query, rich.id));
      await sql`update browser_sessions set state = 'active', prompted = ${prompted},
        opened_at = now() - make_interval(secs => ${seconds}) where id = ${id}`.execute(db.query);
      return id;
    };
    const first = await open(1);
    await open(1, true);
    // 2 and 7 credits for a minute.
    expect(await areSessionsCovered(db, first)).toBe(true);
    await changeTeam(db, rich.name, { credits: 8 });
    expect(await areSessionsCovered(db, first)).toBe(false);
    // 61 seconds are 2.03 credits, rounded up; ten minutes more than is left.
    await changeTeam(db, rich.name, { credits: 11 });
    await open(61);
    expect(await areSessionsCovered(db, first)).toBe(false);
    await changeTeam(db, rich.name, { credits: 12 });
    expect(await areSessionsCovered(db, first)).toBe(true);
    await changeTeam(db, rich.name, { credits: null });
    expect(await areSessionsCovered(db, first)).toBe(true);
    await sql`delete from browser_sessions where team_id = ${rich.id}`.execute(db.query);
  });

  it('are not needed for code in a session that runs, but for the start of one', async () => {
    const poor = await makeTeam(db, { credits: 4 });
    await using pages = await startPages({ '/': '<title>a page</title><p>text</p>' });
    const scraped = await call('/v2/scrape', { body: { url: `${pages.url}/` }, key: poor.key });
    const scrapeId = scraped.body.data.metadata.scrapeId;
    const other = await call('/v2/scrape', { body: { url: `${pages.url}/` }, key: poor.key });
    expect((await interact(scrapeId, '1', poor.key)).status).toBe(200);
    await changeTeam(db, poor.name, { credits: 1 });
    const again = await interact(scrapeId, '2', poor.key);
    // It may have been ended meanwhile, because one credit does not pay for its minute.
    expect([200, 410]).toContain(again.status);
    expect(await interact(other.body.data.metadata.scrapeId, '1', poor.key)).toMatchObject({
      status: 402,
      body: { code: 'INSUFFICIENT_CREDITS' },
    });
    await call(`/v2/scrape/${scrapeId}/interact`, { method: 'DELETE', key: poor.key });
  });
});

describe('the rate limit', () => {
  it('counts starts of sessions and code in sessions by themselves, starts with a fifth of the limit', async () => {
    const limited = await makeTeam(db, { rateLimitPerMinute: 5 });
    const id = crypto.randomUUID();
    const countOf = async (ask: () => Promise<{ status: number }>) => {
      const answers = await Promise.all(Array.from({ length: 7 }, ask));
      return answers.filter(({ status }) => status !== 429).length;
    };
    // None of these requests is valid, but each counts.
    expect(await countOf(() => create({ ttl: 1 }, limited.key))).toBe(1);
    expect(await countOf(() => execute(id, '1', limited.key))).toBe(5);
    expect((await interact(id, '1', limited.key)).status).toBe(429);
    expect(await countOf(() => call('/v2/scrape', { body: {}, key: limited.key }))).toBe(5);
    expect(await countOf(() => remove(id, limited.key))).toBe(7);
  });
});
