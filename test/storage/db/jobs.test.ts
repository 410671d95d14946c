import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { deleteExpiredResults } from '../../../src/storage/db/jobs/expired-jobs.ts';
import { findJob, findOutcome, insertJob, loadJobWithSlot } from '../../../src/storage/db/jobs/jobs.ts';
import { completeJob, failJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { countSlots } from '../../../src/storage/db/teams/slots.ts';
import { findTeam } from '../../../src/storage/db/teams/teams.ts';
import { makeTeam, type TestTeam, useDatabase } from '../../support/storage/database.ts';

/** A job ends once and is paid once, whoever says so and how often. */

const db = useDatabase();

const ERROR = { code: 'SCRAPE_DNS_RESOLUTION_ERROR', message: 'no such name', details: { host: 'x' } };

async function newJob(ttlMs = 60_000) {
  const team = await makeTeam(db, { credits: 100 });
  const id = uuidv7();
  const job = { id, teamId: team.id, apiKeyId: null, kind: 'scrape', target: 'http://a.test' } as const;
  await insertJob(db, { ...job, request: { url: 'http://a.test' }, ttlMs });
  return { team, settlement: { jobId: id } };
}

async function paidBy(team: TestTeam): Promise<{ left: number | null; entries: number[] }> {
  const entries = await db.query
    .selectFrom('credit_entries')
    .select('credits')
    .where('team_id', '=', team.id)
    .execute();
  return {
    left: (await findTeam(db, team.name)).credits_remaining,
    entries: entries.map(({ credits }) => credits),
  };
}

describe('a job', () => {
  it('completed twenty times at once is charged once', async () => {
    const { team, settlement } = await newJob();
    const complete = () => completeJob(db, { ...settlement, credits: 5, blob: 'b1' });
    await Promise.all(Array.from({ length: 20 }, complete));
    expect(await paidBy(team)).toEqual({ left: 95, entries: [5] });
    expect(await findOutcome(db, settlement.jobId)).toMatchObject({
      status: 'completed',
      blob: 'b1',
      error: null,
    });
  });

  it('failed twenty times at once is charged once', async () => {
    const { team, settlement } = await newJob();
    const fail = () => failJob(db, { ...settlement, credits: 1, error: ERROR });
    await Promise.all(Array.from({ length: 20 }, fail));
    expect(await paidBy(team)).toEqual({ left: 99, entries: [1] });
    expect(await findOutcome(db, settlement.jobId)).toMatchObject({
      status: 'failed',
      blob: null,
      error: ERROR,
    });
  });

  it('that failed without charge costs nothing, and stays failed when a lost attempt completes late', async () => {
    const { team, settlement } = await newJob();
    await failJob(db, { ...settlement, credits: 0, error: ERROR });
    await completeJob(db, { ...settlement, credits: 1, blob: 'late' });
    expect(await paidBy(team)).toEqual({ left: 100, entries: [] });
    expect(await findOutcome(db, settlement.jobId)).toMatchObject({ status: 'failed', blob: null });
  });

  it('that completed stays completed, whatever fails late', async () => {
    const { team, settlement } = await newJob();
    await completeJob(db, { ...settlement, credits: 1, blob: 'first' });
    await failJob(db, { ...settlement, credits: 1, error: ERROR });
    await completeJob(db, { ...settlement, credits: 1, blob: 'second' });
    expect(await paidBy(team)).toEqual({ left: 99, entries: [1] });
    expect(await findOutcome(db, settlement.jobId)).toMatchObject({
      status: 'completed',
      blob: 'first',
      error: null,
    });
  });

  it('that completes and fails at once ends one way and is charged for that', async () => {
    for (let round = 0; round < 10; round++) {
      const { team, settlement } = await newJob();
      await Promise.all([
        failJob(db, { ...settlement, credits: 0, error: ERROR }),
        completeJob(db, { ...settlement, credits: 1, blob: 'b' }),
      ]);
      const outcome = await findOutcome(db, settlement.jobId);
      const paid = await paidBy(team);
      expect([outcome?.status, outcome?.blob ?? null, paid.left, paid.entries.length]).toEqual(
        outcome?.status === 'completed' ? ['completed', 'b', 99, 1] : ['failed', null, 100, 0],
      );
    }
  });

  it('of a team without a limit is in the ledger all the same', async () => {
    const team = await makeTeam(db);
    const id = uuidv7();
    const job = { id, teamId: team.id, apiKeyId: null, kind: 'scrape', target: 'http://a.test' } as const;
    await insertJob(db, { ...job, request: {}, ttlMs: 60_000 });
    await completeJob(db, { jobId: id, credits: 2, blob: 'b' });
    expect(await paidBy(team)).toEqual({ left: null, entries: [2] });
  });

  it('that the database has lost cannot be completed, so that nobody gets a document which is not billed', async () => {
    const lost = completeJob(db, { jobId: uuidv7(), credits: 1, blob: 'b1' });
    await expect(lost).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('whose results have expired has no outcome any more', async () => {
    const { settlement } = await newJob(-1);
    await completeJob(db, { ...settlement, credits: 1, blob: 'b' });
    expect(await findOutcome(db, settlement.jobId)).toBeUndefined();
    expect(await findOutcome(db, uuidv7())).toBeUndefined();
  });

  it('of an API whose clock is a day back has its results for as long as any other', async () => {
    vi.useFakeTimers({ now: Date.now() - 86_400_000, toFake: ['Date'] });
    const { settlement } = await newJob().finally(() => vi.useRealTimers());
    await completeJob(db, { ...settlement, credits: 1, blob: 'b' });
    expect(await findOutcome(db, settlement.jobId)).toMatchObject({ blob: 'b' });
  });

  it('has its request and the concurrency of its team', async () => {
    const { settlement } = await newJob();
    expect(await findJob(db, settlement.jobId)).toMatchObject({
      request: { url: 'http://a.test' },
      status: 'scraping',
      concurrency: 50,
    });
  });
});

describe('the ledger', () => {
  it('holds one entry for each piece of a job', async () => {
    const { team, settlement } = await newJob();
    const entry = { job_id: settlement.jobId, ordinal: 0, team_id: team.id, api_key_id: null, credits: 1 };
    await db.query.insertInto('credit_entries').values(entry).execute();
    await expect(db.query.insertInto('credit_entries').values(entry).execute()).rejects.toMatchObject({
      code: '23505',
    });
    await db.query
      .insertInto('credit_entries')
      .values({ ...entry, ordinal: 1 })
      .execute();
    expect((await paidBy(team)).entries).toEqual([1, 1]);
  });

  it('takes one slot of its team when it begins, and none once it has ended', async () => {
    const { team, settlement } = await newJob();
    const { jobId } = settlement;
    expect(await loadJobWithSlot(db, jobId)).toMatchObject({
      team_id: team.id,
      status: 'scraping',
      lease: 'taken',
    });
    expect(await loadJobWithSlot(db, jobId)).toMatchObject({ lease: 'held' });
    expect(await countSlots(db, team.id)).toBe(1);
    await completeJob(db, { ...settlement, credits: 1, blob: 'b1' });
    expect(await countSlots(db, team.id)).toBe(0);
    expect(await loadJobWithSlot(db, jobId)).toMatchObject({ status: 'completed', lease: null });
    expect(await countSlots(db, team.id)).toBe(0);
  });
});

describe('an expired crawl of more pages than one statement deletes', () => {
  it('loses all of its pages at once, and other jobs lose none', async () => {
    const crawlOf = async (pages: number, ttlMs: number) => {
      const { id: teamId } = await makeTeam(db, { credits: null });
      const id = uuidv7();
      const job = { id, teamId, apiKeyId: null, kind: 'crawl', target: 'http://a.test' } as const;
      await insertJob(db, { ...job, request: {}, ttlMs });
      await sql`
        insert into pages (job_id, ordinal, team_id, url, host, status)
        select ${id}, n, ${teamId}, 'http://a.test/' || n, 'a.test', 'completed' from generate_series(1, ${pages}) as n`.execute(
        db.query,
      );
      await db.query.updateTable('jobs').set({ status: 'completed' }).where('id', '=', id).execute();
      return id;
    };
    const countPages = async (id: string) =>
      (await db.query.selectFrom('pages').select('ordinal').where('job_id', '=', id).execute()).length;
    const [expired, kept] = [await crawlOf(20_001, -1_000), await crawlOf(2, 60_000)];
    const now = Date.now();
    // A job that expired after the given time is left for the next cleanup.
    await deleteExpiredResults(db, new Date(now - 60_000));
    expect(await countPages(expired)).toBe(20_001);
    expect(await deleteExpiredResults(db, new Date(now))).toBeGreaterThanOrEqual(1);
    expect([await countPages(expired), await countPages(kept)]).toEqual([0, 2]);
  });
});
