import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asyncLocalStorage, Context } from '@temporalio/activity';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { searchActivities } from '../../../src/activities/search.ts';
import { priceOfSession } from '../../../src/credits.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { searchBody } from '../../../src/schemas/search.ts';
import { RUN_CREDITS } from '../../../src/storage/agent-steps/step.ts';
import {
  addTurn,
  findRun,
  finishStep,
  insertRun,
  listSteps,
} from '../../../src/storage/db/jobs/agent-steps.ts';
import { insertChildJobs, insertJob, type NewJob } from '../../../src/storage/db/jobs/jobs.ts';
import { insertPageJob } from '../../../src/storage/db/jobs/page-jobs.ts';
import { failJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { reserveJudgments } from '../../../src/storage/db/monitors/judgments.ts';
import { releaseClaims } from '../../../src/storage/db/pages/claims.ts';
import { recordAndClaim } from '../../../src/storage/db/pages/record-and-claim.ts';
import { areSessionsCovered, markPrompted, openSession } from '../../../src/storage/db/sessions.ts';
import { readAvailableCredits } from '../../../src/storage/db/teams/available-credits.ts';
import { extraCreditsOfPage, extraCreditsOfScrape } from '../../../src/storage/db/teams/extra-credits.ts';
import { openJobResults } from '../../../src/storage/job-results.ts';
import { NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';
import { call } from '../../support/api/call.ts';
import { useService } from '../../support/service/use-service.ts';
import { startPages } from '../../support/sites/pages.ts';
import { makeTeam, storeSession, type TestTeam, useDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/**
 * All running work of a team shares its credits, whatever kind it is. No workflow runs the jobs of this file.
 */

const service = useService();
const db = useDatabase();

const jobOf = ({ id: teamId }: TestTeam, job: Pick<NewJob, 'kind'> & Partial<NewJob>): NewJob => ({
  id: uuidv7(),
  teamId,
  apiKeyId: null,
  target: null,
  request: {},
  ttlMs: 3_600_000,
  ...job,
});

/** Starts an agent, a call of which reserves credits. @returns the id of the agent */
async function startAgent(team: TestTeam, reserved: number): Promise<string> {
  const job = { ...jobOf(team, { kind: 'agent' }), kind: 'agent' as const };
  await insertRun(db.query, { ...job, webhook: undefined, baseUrl: 'http://winnow.test' });
  const call = { tool: 'scrape' as const, summary: '', input: {}, error: null, reserved };
  await addTurn(db, (await findRun(db, job.id))!, {
    turn: 0,
    step: { tool: 'think', summary: '', input: {}, blob: null },
    calls: [
      {
        ...call,
        child: {
          id: uuidv7(),
          kind: 'scrape',
          target: '',
          request: scrapeBody.parse({ url: 'http://a.test/' }),
        },
      },
    ],
  });
  return job.id;
}

/**
 * Starts a crawl.
 * @returns its page worker, and what claims pages for it and records some of those that are claimed
 */
async function startCrawl({ id: teamId }: TestTeam, count: number, reserved = 1) {
  const host = `host-${uuidv7()}.test`;
  const id = uuidv7();
  await insertPageJob(db.query, {
    id,
    teamId,
    apiKeyId: null,
    kind: 'crawl',
    target: `http://${host}/`,
    request: {},
    ttlMs: 3_600_000,
    limit: null,
    maxConcurrency: 100,
    delayMs: null,
    webhook: undefined,
    baseUrl: 'http://winnow.test',
    reserved,
    pages: Array.from({ length: count }, (_, n) => ({ url: `http://${host}/${n}`, host, depth: 0 })),
  });
  // The service would start a workflow for a crawl that lasts and has none.
  onTestFinished(async () => {
    await db.query.updateTable('jobs').set({ status: 'cancelled' }).where('id', '=', id).execute();
  });
  const pageWorker = `${id}/0/1`;
  const step = (maxPages: number, ended: string[] = [], name = pageWorker) =>
    recordAndClaim(db, {
      jobId: id,
      cipher: NULL_CIPHER,
      pageWorker: name,
      maxPages,
      found: [],
      blocked: [],
      pageEvents: false,
      openRequests: new Map(),
      requestsPerHost: 100,
      results: ended.map((page) => ({
        id: page,
        host,
        outcome: 'completed',
        blob: 'x',
        bytes: 1,
        credits: reserved,
      })),
    });
  return { id, pageWorker, step };
}

async function openBrowser(team: TestTeam, minutes: number): Promise<string> {
  const id = await storeSession(db.query, team.id);
  await openSession(db, { id, host: 'host' });
  await sql`update browser_sessions set opened_at = now() - make_interval(mins => ${minutes}) where id = ${id}`.execute(
    db.query,
  );
  return id;
}

/** The context of an activity, of which a search only needs this. */
const activityContext = (attempt: number): Context =>
  Object.assign(Object.create(Context.prototype), {
    info: { attempt },
    cancellationSignal: new AbortController().signal,
  });

describe('the credits of a team', () => {
  it('are reserved by each kind of running work, and by no part of a job that pays for it', async () => {
    const team = await makeTeam(db, { credits: 1_000, concurrency: 100 });
    const available = () => readAvailableCredits(db, team.id);
    const agent = await startAgent(team, 30);
    expect(await available()).toBe(1_000 - 30 - RUN_CREDITS);
    expect(await readAvailableCredits(db, team.id, agent)).toBe(1_000);
    await (await startCrawl(team, 50)).step(10);
    expect(await available()).toBe(966 - 10);
    const search = jobOf(team, { kind: 'search' });
    await insertJob(db, search);
    await insertChildJobs(db, [jobOf(team, { kind: 'scrape', parentId: search.id })]);
    expect(await available()).toBe(956 - 2);
    expect(await readAvailableCredits(db, team.id, search.id)).toBe(956);
    await openBrowser(team, 5);
    expect(await available()).toBe(954 - 11);
    expect(await readAvailableCredits(db, (await makeTeam(db)).id)).toBeUndefined();
  });

  it('that an agent has reserved are not spent by a crawl, which goes on when the agent needs fewer', async () => {
    const team = await makeTeam(db, { credits: 20, concurrency: 100 });
    const { step } = await startCrawl(team, 50);
    const agent = await startAgent(team, 10);
    const { claims } = await step(16);
    expect(claims).toHaveLength(20 - 10 - RUN_CREDITS);
    const waiting = await step(
      16,
      claims.map(({ id }) => id),
    );
    expect(waiting).toMatchObject({ claims: [], outOfCredits: false, completed: 6 });
    await finishStep(db, agent, { sequence: 1, state: 'done', credits: 1, blob: null, error: null });
    expect((await step(16)).claims).toHaveLength(20 - 6 - 1 - RUN_CREDITS);
  });

  it('are not reserved twice for the judgments of two checks, and are free again afterwards', async () => {
    const team = await makeTeam(db, { credits: 6 });
    const checks = [jobOf(team, { kind: 'monitor' }), jobOf(team, { kind: 'monitor' })];
    await insertChildJobs(db, checks);
    const reserve = ({ id: checkId }: NewJob, count: number) =>
      reserveJudgments(db, { checkId, teamId: team.id, count });
    const [first, second] = checks as [NewJob, NewJob];
    const granted = await Promise.all([reserve(first, 4), reserve(second, 4)]);
    expect(granted.toSorted()).toEqual([2, 4]);
    expect(await readAvailableCredits(db, team.id)).toBe(0);
    // A check that reserves again gives back what it had reserved before.
    expect(await reserve(second, 1)).toBe(1);
    expect(await reserve(first, 9)).toBe(5);
    expect(await reserve(first, 0)).toBe(0);
    expect(await readAvailableCredits(db, team.id)).toBe(5);
    await db.query.updateTable('jobs').set({ status: 'completed' }).where('id', '=', second.id).execute();
    expect(await readAvailableCredits(db, team.id)).toBe(6);
  });

  it('that a crawl is going to spend are not reserved by an agent', async () => {
    const team = await makeTeam(db, { credits: 20, concurrency: 100 });
    expect((await (await startCrawl(team, 50)).step(12)).claims).toHaveLength(12);
    const [, refused] = await listSteps(db, await startAgent(team, 10));
    expect(refused).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('Other work of the team'),
    });
  });

  it('are not exceeded by an agent and a crawl that start work at the same time', async () => {
    const team = await makeTeam(db, { credits: 60, concurrency: 100 });
    const crawls = await Promise.all(Array.from({ length: 3 }, () => startCrawl(team, 50)));
    await Promise.all([
      ...crawls.map(({ step }) => step(16)),
      ...[20, 20, 20].map((n) => startAgent(team, n)),
    ]);
    expect(await readAvailableCredits(db, team.id)).toBeGreaterThanOrEqual(-3 * RUN_CREDITS);
  });

  it('that pages are going to cost are not spent twice by the next claims of their crawl', async () => {
    const team = await makeTeam(db, { credits: 5, concurrency: 100 });
    const { step } = await startCrawl(team, 50);
    const first = await step(16);
    expect(first.claims).toHaveLength(5);
    expect(await step(16)).toMatchObject({ claims: [], outOfCredits: false });
    const [ended, ...running] = first.claims.map(({ id }) => id);
    expect(await step(16, [ended!])).toMatchObject({ claims: [], outOfCredits: false });
    expect(await step(16, running)).toMatchObject({ claims: [], outOfCredits: true, completed: 5 });
  });

  it('limit the pages of a crawl by what each of them is expected to cost', async () => {
    const team = await makeTeam(db, { credits: 12, concurrency: 100 });
    const { step } = await startCrawl(team, 50, 5);
    const { claims } = await step(16);
    expect(claims).toHaveLength(2);
    expect(await readAvailableCredits(db, team.id)).toBe(2);
    const ended = claims.map(({ id }) => id);
    expect(await step(16, ended)).toMatchObject({ claims: [], outOfCredits: true, completed: 2 });
  });

  it('are reserved for a browser session as it is billed', async () => {
    const team = await makeTeam(db, { credits: 100_000 });
    const id = await openBrowser(team, 0);
    const seconds = [0, 1, 59, 60, 61, 89, 90, 91, 119, 120, 3_599, 3_600];
    for (const prompted of [false, true]) {
      for (const each of seconds) {
        // The time of the transaction stands still, so the session is exactly as old.
        const available = await db.query.transaction().execute(async (query) => {
          await sql`update browser_sessions set prompted = ${prompted},
            opened_at = now() - make_interval(secs => ${each}) where id = ${id}`.execute(query);
          return readAvailableCredits({ query }, team.id);
        });
        expect({ each, credits: 100_000 - (available ?? 0) }).toEqual({
          each,
          credits: priceOfSession({ durationMs: each * 1_000, prompted }),
        });
      }
    }
  });

  it('are given to as many requests as they suffice for, however many arrive at the same moment', async ({
    signal,
  }) => {
    const team = await makeTeam(db, { credits: 3, concurrency: 100 });
    const done = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': (_request, response) => void done.promise.then(() => response.end('<p>Text</p>')),
    });
    const access = { url: service.url, key: team.key };
    const scrapes = Array.from({ length: 12 }, (_, n) =>
      call('/v2/scrape', { ...access, body: { url: `${pages.url}/?${n}` } }),
    );
    let refused = 0;
    for (const scrape of scrapes)
      void scrape.then(({ status }) => {
        refused += status === 402 ? 1 : 0;
      });
    await pollUntil(() => refused >= 9, { signal });
    done.resolve();
    const statuses = (await Promise.all(scrapes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 402)).toHaveLength(9);
    expect((await call('/v2/team/credit-usage', access)).body.data.remainingCredits).toBe(0);
  });

  it('are given to one of two requests whose formats together cost more', async ({ signal }) => {
    const team = await makeTeam(db, { credits: 9, concurrency: 100 });
    const done = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': (_request, response) => void done.promise.then(() => response.end('<h1>Price: 5</h1>')),
    });
    const access = { url: service.url, key: team.key };
    const schema = { type: 'object', properties: { price: { type: 'number' } } };
    const body = { formats: [{ type: 'json', schema }] };
    let refused = 0;
    const scrapes = [1, 2].map((n) => {
      const scrape = call('/v2/scrape', { ...access, body: { ...body, url: `${pages.url}/?${n}` } });
      return scrape.finally(() => void refused++);
    });
    await pollUntil(() => refused === 1, { signal });
    done.resolve();
    const statuses = (await Promise.all(scrapes)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 402]);
  });

  it('are reserved for the pages of documents of two scrapes, and of two pages of a batch, only once', async () => {
    const team = await makeTeam(db, { credits: 20, concurrency: 100 });
    const jobs = [jobOf(team, { kind: 'scrape' }), jobOf(team, { kind: 'scrape' })];
    for (const job of jobs) await insertJob(db, job);
    const scrapes = jobs.map(({ id }) =>
      extraCreditsOfScrape(db, { jobId: id, teamId: team.id, expected: 1 }),
    );
    const crawl = await startCrawl(team, 2);
    const { claims } = await crawl.step(2);
    const claimed = claims.map(({ id }) =>
      extraCreditsOfPage(db, { pageId: id, teamId: team.id, pageWorker: crawl.pageWorker }),
    );
    expect(await Promise.all([...scrapes, ...claimed].map((extra) => extra.available()))).toEqual([
      16, 16, 16, 16,
    ]);
    for (const pair of [scrapes, claimed]) {
      const given = await Promise.all(pair.map((extra) => extra.reserve(5)));
      expect(given.filter(Boolean)).toHaveLength(pair === scrapes ? 2 : 1);
    }
    expect(await readAvailableCredits(db, team.id)).toBe(1);
    expect(await Promise.all([...scrapes, ...claimed].map((extra) => extra.reserve(1)))).toHaveLength(4);
    expect(await readAvailableCredits(db, team.id)).toBe(0);
  });

  it('stay reserved for an attempt at a scrape when one that counted as lost reserves fewer', async () => {
    const team = await makeTeam(db, { credits: 20, concurrency: 100 });
    const job = jobOf(team, { kind: 'scrape' });
    await insertJob(db, job);
    const attempt = () => extraCreditsOfScrape(db, { jobId: job.id, teamId: team.id, expected: 1 });
    expect(await attempt().reserve(9)).toBe(true);
    expect(await attempt().reserve(4)).toBe(true);
    expect(await readAvailableCredits(db, team.id)).toBe(10);
    await failJob(db, { jobId: job.id, credits: 0, error: { code: 'UNKNOWN_ERROR', message: '' } });
    expect(await attempt().reserve(4)).toBe(false);
    expect(await readAvailableCredits(db, team.id)).toBe(20);
  });

  it('are not reserved by a page worker that has lost its claim of the page', async () => {
    const team = await makeTeam(db, { credits: 20, concurrency: 100 });
    const crawl = await startCrawl(team, 1);
    const { claims } = await crawl.step(1);
    const claim = { pageId: claims[0]!.id, teamId: team.id };
    await releaseClaims(db, { jobId: crawl.id, workerPrefix: crawl.pageWorker, isWorkerLost: true });
    const lost = extraCreditsOfPage(db, { ...claim, pageWorker: crawl.pageWorker });
    expect(await lost.reserve(5)).toBe(false);
    const next = `${crawl.id}/0/2`;
    expect((await crawl.step(1, [], next)).claims).toHaveLength(1);
    expect(await extraCreditsOfPage(db, { ...claim, pageWorker: next }).reserve(7)).toBe(true);
    expect(await lost.reserve(3)).toBe(false);
    expect(await readAvailableCredits(db, team.id)).toBe(20 - 1 - 7);
  });

  it('are not spent twice by the first prompts of two sessions', async () => {
    const team = await makeTeam(db, { credits: 11 });
    const sessions = [await openBrowser(team, 0), await openBrowser(team, 0)];
    const ends = await Promise.allSettled(sessions.map((id) => markPrompted(db, id)));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'INSUFFICIENT_CREDITS', message: expect.stringContaining('costs 3 more') },
    });
    expect(await readAvailableCredits(db, team.id)).toBe(11 - 7 - 2);
    const [, prompted] = ends[0]!.status === 'fulfilled' ? sessions.toReversed() : sessions;
    await expect(markPrompted(db, prompted!)).resolves.toBeUndefined();
  });

  it('are reserved by a search that is repeated only for the results that it finds then', async () => {
    const team = await makeTeam(db, { credits: 1_000 });
    let found = ['/1', '/2', '/3'];
    await using searxng = await startPages({
      '/search': (_request, response) =>
        response.end(
          JSON.stringify({ results: found.map((path) => ({ url: `http://a.test${path}`, title: '' })) }),
        ),
    });
    const request = searchBody.parse({ query: 'a', scrapeOptions: { formats: ['markdown'] } });
    const search = jobOf(team, { kind: 'search', request });
    await insertJob(db, search);
    const directory = mkdtempSync(path.join(tmpdir(), 'winnow-test-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { findResults } = searchActivities({
      db,
      results: await openJobResults(directory, db),
      searxngUrl: searxng.url,
      resultTtlMs: 60_000,
    });
    for (const attempt of [1, 2]) {
      await asyncLocalStorage.run(activityContext(attempt), () => findResults(search.id));
      expect(await readAvailableCredits(db, team.id, search.id)).toBe(1_000);
      const own = await readAvailableCredits(db, team.id);
      expect(1_000 - (own ?? 0)).toBe(1 + found.length);
      found = ['/3', '/4'];
    }
  });

  it('end sessions that cost more than other work has left of them', async () => {
    const team = await makeTeam(db, { credits: 30 });
    const session = await openBrowser(team, 5);
    expect(await areSessionsCovered(db, session)).toBe(true);
    await startAgent(team, 10);
    expect(await areSessionsCovered(db, session)).toBe(true);
    await openBrowser(team, 5);
    expect(await areSessionsCovered(db, session)).toBe(false);
  });

  it('that running work has reserved are refused to requests, which say so', async () => {
    const team = await makeTeam(db, { credits: 15 });
    await startAgent(team, 11);
    const body = { url: 'http://a.test/' };
    const access = { url: service.url, key: team.key };
    const scrape = await call('/v2/scrape', { ...access, body });
    expect([scrape.status, scrape.body.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect(scrape.body.error).toContain('has 0 left besides the 15 that its running work has reserved');
    expect((await call('/v2/team/credit-usage', access)).body.data.remainingCredits).toBe(15);
  });
});
