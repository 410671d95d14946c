import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  LongConversions,
  MAX_LONG_CONVERSIONS_OF_TEAM,
  TrackedConversion,
} from '../../../src/activities/scrape/long-conversions.ts';
import { startDeadline } from '../../../src/jobs/scraping/deadline.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { insertOrJoin, waitForDisk } from '../../../src/storage/db/jobs/insert-scrape.ts';
import { findJob, insertJob } from '../../../src/storage/db/jobs/jobs.ts';
import {
  findLongConversion,
  forgetLongConversion,
  readLongConversion,
  recordLongConversion,
  updateLongConversion,
} from '../../../src/storage/db/jobs/long-conversions.ts';
import { completeJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { countSlots } from '../../../src/storage/db/teams/slots.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** Scrapes whose document took longer than their timeout, which the same request once more can join. */

const db = useDatabase();

const REQUEST = {
  url: 'http://a.test/a.pdf',
  timeout: 1_000,
  origin: 'api',
  parsers: [{ type: 'pdf', mode: 'ocr' }],
};

const ENDS_AT = new Date(Date.now() + 1_200_000);
const QUEUED = { isRunning: false, pages: undefined, remainingSeconds: undefined };

/** A scrape that continues after its timeout. */
async function startLong(request: object = REQUEST) {
  const { id: teamId } = await makeTeam(db);
  const jobId = crypto.randomUUID();
  const job = { id: jobId, teamId, apiKeyId: null, kind: 'scrape' as const, target: REQUEST.url, request };
  await insertJob(db, { ...job, ttlMs: 60_000 });
  await recordLongConversion(db, { jobId, teamId, request, endsAt: ENDS_AT, ...QUEUED });
  return { jobId, teamId, find: (other: object) => findLongConversion(db, { teamId, request: other }) };
}

describe('a scrape that continues after its timeout', () => {
  it('is found by the same request, whatever its timeout, caller and order of members', async () => {
    const { jobId, find } = await startLong();
    const { url, parsers } = REQUEST;
    expect(await find({ parsers: [{ mode: 'ocr', type: 'pdf' }], origin: 'sdk', timeout: 9_000, url })).toBe(
      jobId,
    );
    expect(await find({ url, parsers: [{ type: 'pdf', mode: 'auto' }] })).toBeUndefined();
    expect(await find({ url: `${url}?b`, parsers })).toBeUndefined();
  });

  it('is not found by another team', async () => {
    await startLong();
    const { id: teamId } = await makeTeam(db);
    expect(await findLongConversion(db, { teamId, request: REQUEST as object })).toBeUndefined();
  });

  it('is found after its end until its result is delivered, at most 15 minutes later', async () => {
    const { jobId, find } = await startLong();
    await completeJob(db, { jobId, credits: 1, blob: '0'.repeat(64) });
    expect(await find(REQUEST)).toBe(jobId);
    await forgetLongConversion(db, jobId);
    expect(await find(REQUEST)).toBeUndefined();
    expect(await readLongConversion(db, jobId)).toBeUndefined();

    const old = await startLong();
    await completeJob(db, { jobId: old.jobId, credits: 1, blob: '0'.repeat(64) });
    const finishedAt = new Date(Date.now() - 16 * 60_000);
    await db.query.updateTable('jobs').set({ finished_at: finishedAt }).where('id', '=', old.jobId).execute();
    expect(await old.find(REQUEST)).toBeUndefined();
  });

  it('is found as long as it runs', async () => {
    const { jobId, find } = await startLong();
    const startedAt = new Date(Date.now() - 3 * 3_600_000);
    await db.query
      .updateTable('long_conversions')
      .set({ started_at: startedAt })
      .where('job_id', '=', jobId)
      .execute();
    expect(await find(REQUEST)).toBe(jobId);
  });

  it('keeps a job for the same request from being stored, which gets its id instead', async () => {
    const { jobId, teamId } = await startLong();
    const newJob = (request: object) => ({
      id: crypto.randomUUID(),
      teamId,
      apiKeyId: null,
      kind: 'scrape' as const,
      target: REQUEST.url,
      request,
      ttlMs: 60_000,
    });
    const isStored = async ({ id }: { id: string }) => (await findJob(db, id))?.status;
    const same = newJob(REQUEST);
    expect(await insertOrJoin(db.query, same, { takesSlot: true })).toEqual({ joined: jobId });
    expect(await isStored(same)).toBeUndefined();
    const other = newJob({ ...REQUEST, url: 'http://a.test/b.pdf' });
    expect(await insertOrJoin(db.query, other, { takesSlot: false })).toEqual({});
    expect(await countSlots(db, teamId)).toBe(0);
    expect(await isStored(other)).toBe('scraping');
    const { request } = (await findJob(db, other.id))!;
    expect(request).toEqual({ ...REQUEST, url: 'http://a.test/b.pdf' });
  });

  it('waits for the disk when its job is stored, unless its page is fetched meanwhile', async () => {
    const { id: teamId } = await makeTeam(db);
    const commitOf = (takesSlot: boolean) =>
      db.query.transaction().execute(async (query) => {
        const job = { id: crypto.randomUUID(), teamId, apiKeyId: null, kind: 'scrape' as const };
        const stored = { ...job, target: REQUEST.url, request: REQUEST as object, ttlMs: 60_000 };
        await insertOrJoin(query, stored, { takesSlot });
        return (await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(query)).rows[0];
      });
    expect(await commitOf(true)).toEqual({ synchronous_commit: 'off' });
    expect(await commitOf(false)).toEqual({ synchronous_commit: 'on' });
  });

  it('is on the disk once that was waited for', async () => {
    const { id: teamId } = await makeTeam(db);
    const job = { id: crypto.randomUUID(), teamId, apiKeyId: null, kind: 'scrape' as const };
    const stored = { ...job, target: REQUEST.url, request: REQUEST as object, ttlMs: 60_000 };
    await insertOrJoin(db.query, stored, { takesSlot: true });
    const written = await sql<{ end: string }>`select pg_current_wal_insert_lsn() as end`.execute(db.query);
    await waitForDisk(db);
    const flushed = await sql<{ isOnDisk: boolean }>`
      select pg_current_wal_flush_lsn() >= ${written.rows[0]!.end}::pg_lsn as "isOnDisk"`.execute(db.query);
    expect(flushed.rows).toEqual([{ isOnDisk: true }]);
  });

  it('does not keep other scrapes from getting a slot as they are stored, or from waiting for one', async () => {
    const { id: teamId } = await makeTeam(db, { concurrency: 1 });
    const store = () => {
      const job = {
        id: crypto.randomUUID(),
        teamId,
        apiKeyId: null,
        kind: 'scrape' as const,
        target: REQUEST.url,
      };
      return insertOrJoin(
        db.query,
        { ...job, request: REQUEST as object, ttlMs: 60_000 },
        { takesSlot: true },
      );
    };
    const first = await store();
    expect(first.leased).toEqual({
      team_id: teamId,
      request: REQUEST,
      status: 'scraping',
      wrappedKey: null,
      concurrency: 1,
      lease: 'taken',
    });
    expect((await store()).leased).toEqual({ ...first.leased, lease: null });
    expect(await countSlots(db, teamId)).toBe(1);
  });

  it('is known to wait or to run, with its pages and the time that they take', async () => {
    const { jobId } = await startLong();
    expect(await readLongConversion(db, jobId)).toEqual({ ...QUEUED, endsAt: ENDS_AT });
    const state = { isRunning: true, pages: 900, remainingSeconds: 120 };
    await updateLongConversion(db, jobId, state);
    expect(await readLongConversion(db, jobId)).toEqual({ ...state, endsAt: ENDS_AT });
  });
});

describe('documents of a team that take longer than their timeouts', () => {
  it('are converted on up to a number, also while they wait for a process, and are announced as queued', async () => {
    const { id: teamId } = await makeTeam(db);
    const request = scrapeBody.parse({ url: REQUEST.url, parsers: REQUEST.parsers });
    const conversions = new LongConversions(db, createLogger('test', 'silent'));
    const ended = Promise.withResolvers<string>();
    const start = async () => {
      const jobId = crypto.randomUUID();
      const job = {
        id: jobId,
        teamId,
        apiKeyId: null,
        kind: 'scrape' as const,
        target: REQUEST.url,
        request,
      };
      await insertJob(db, { ...job, ttlMs: 60_000 });
      const deadline = startDeadline({ url: REQUEST.url, timeout: 1 }, new AbortController().signal);
      const aborted = Promise.withResolvers<string>();
      deadline.signal.addEventListener('abort', () => aborted.resolve('ended'));
      const result = conversions.run(() => Promise.race([ended.promise, aborted.promise]), {
        jobId,
        teamId,
        request,
        type: 'pdf',
        deadline,
        conversion: new TrackedConversion(),
      });
      return { jobId, result, [Symbol.dispose]: () => deadline[Symbol.dispose]() };
    };
    const continued = await Promise.all(Array.from({ length: MAX_LONG_CONVERSIONS_OF_TEAM }, start));
    for (const { jobId } of continued)
      expect(await pollUntil(() => readLongConversion(db, jobId))).toMatchObject(QUEUED);
    using surplus = await start();
    expect(await surplus.result).toBe('ended');
    expect(await readLongConversion(db, surplus.jobId)).toBeUndefined();
    ended.resolve('converted');
    expect(await Promise.all(continued.map(({ result }) => result))).toEqual(
      continued.map(() => 'converted'),
    );
    for (const each of continued) each[Symbol.dispose]();
  });
});
