import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/storage/db/client.ts';
import { insertPageJob } from '../../../src/storage/db/jobs/page-jobs.ts';
import { readJobWorkload } from '../../../src/storage/db/pages/job-workload.ts';
import { recordAndClaim } from '../../../src/storage/db/pages/record-and-claim.ts';
import {
  deleteOldRobotsFiles,
  endRobotsWait,
  findRobotsFile,
  findRobotsWait,
  type RobotsHost,
  recordRobotsFailure,
  storeRobotsFile,
} from '../../../src/storage/db/robots.ts';
import { createJobCipher, type JobCipher, NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';

/**
 * Copies of robots.txt are shared by all workers, and so is how long a crawl waits for one that is
 * unavailable.
 */

const db = useOwnDatabase();

const newOrigin = () => `https://host-${uuidv7()}.test`;
const ROLLBACK = new Error('the crawl is as old as it was before');

/** A crawl with a page of each host. */
async function newCrawl(origins: string[], cipher: (id: string) => JobCipher = () => NULL_CIPHER) {
  const { id: teamId } = await makeTeam(db);
  const id = uuidv7();
  const crawl = { jobId: id, cipher: cipher(id) };
  await insertPageJob(db.query, {
    id,
    teamId,
    apiKeyId: null,
    kind: 'crawl',
    target: 'https://a.test/',
    request: {},
    ttlMs: 60_000,
    limit: null,
    maxConcurrency: null,
    delayMs: null,
    webhook: undefined,
    baseUrl: 'http://winnow.test',
    pages: origins.map((origin) => ({ url: `${origin}/`, host: new URL(origin).host, depth: 0 })),
    cipher: crawl.cipher,
  });
  const claimed = async () => {
    const order = {
      pageWorker: `${id}/0/1`,
      maxPages: 10,
      openRequests: new Map(),
      requestsPerHost: 8,
      results: [],
      found: [],
      blocked: [],
    };
    const { claims } = await recordAndClaim(db, { ...order, ...crawl, pageEvents: false });
    return claims.map(({ url }) => new URL(url).origin);
  };
  return { crawl, claimed, place: (origin: string): RobotsHost => ({ ...crawl, url: new URL(origin) }) };
}

const encrypted = (id: string) => createJobCipher(id, 'a secret key');
const failure = { reason: 'HTTP 503', retryAfterMs: 0, maxWaitMs: 60_000 };

describe('the stored copy of a robots.txt', () => {
  it('is current for crawls that began before it was read, and outdated for later ones', async () => {
    const origin = newOrigin();
    const file = Buffer.from('copy\0of a file');
    const early = await newCrawl([]);
    expect(await findRobotsFile(db, origin, early.crawl)).toBeUndefined();
    await storeRobotsFile(db, { origin, crawl: early.crawl, file: Buffer.from('earlier') });
    await storeRobotsFile(db, { origin, crawl: undefined, file });
    expect(await findRobotsFile(db, origin, early.crawl)).toEqual({ file, isFresh: true });
    const late = await newCrawl([]);
    expect(await findRobotsFile(db, origin, late.crawl)).toEqual({ file, isFresh: false });
    expect(await findRobotsFile(db, origin, undefined)).toEqual({ file, isFresh: false });
  });

  it('is refreshed after an hour and deleted after thirty days', async () => {
    const [hour, month] = [newOrigin(), newOrigin()];
    const { crawl } = await newCrawl([]);
    // Upkeep deletes no file younger than the oldest running job, so other tests must never see one that is
    // this old.
    const tested = db.query.transaction().execute(async (query) => {
      const own: Database = { ...db, query };
      const past = (ms: number) => new Date(Date.now() - ms);
      await query
        .updateTable('jobs')
        .set({ created_at: past(40 * 86_400_000) })
        .where('id', '=', crawl.jobId)
        .execute();
      for (const [origin, ageMs] of [
        [hour, 3_700_000],
        [month, 31 * 86_400_000],
      ] as const) {
        await storeRobotsFile(own, { origin, crawl, file: Buffer.from('x') });
        await query
          .updateTable('robots_files')
          .set({ fetched_at: past(ageMs) })
          .where('key', '=', origin)
          .execute();
      }
      expect(await findRobotsFile(own, hour, crawl)).toMatchObject({ isFresh: false });
      expect(await findRobotsFile(own, month, crawl)).toBeUndefined();
      await deleteOldRobotsFiles(own);
      const { rows } = await sql`select key from robots_files where key in (${hour}, ${month})`.execute(
        query,
      );
      expect(rows).toEqual([{ key: hour }]);
      throw ROLLBACK;
    });
    await expect(tested).rejects.toBe(ROLLBACK);
  });

  it('of an encrypted crawl is separate and cannot be read without its key', async () => {
    const origin = newOrigin();
    const { crawl } = await newCrawl([], encrypted);
    const other = await newCrawl([], encrypted);
    const file = Buffer.from(`Disallow: /${origin}`);
    await storeRobotsFile(db, { origin, crawl, file });
    expect(await findRobotsFile(db, origin, crawl)).toEqual({ file, isFresh: true });
    expect(await findRobotsFile(db, origin, other.crawl)).toBeUndefined();
    const { rows } = await db.pool.query('select * from robots_files where job_id = $1', [crawl.jobId]);
    expect(rows).toHaveLength(1);
    expect(`${rows[0].key} ${rows[0].file.toString('latin1')}`).not.toContain(origin.slice(8));
    // Copies that other crawls have read are not secret, and are used instead.
    await storeRobotsFile(db, { origin, crawl: undefined, file: Buffer.from('shared') });
    expect(await findRobotsFile(db, origin, other.crawl)).toMatchObject({ file: Buffer.from('shared') });
  });
});

describe.each([
  ['a crawl', () => NULL_CIPHER],
  ['an encrypted crawl', encrypted],
])('a host that %s waits for', (_name, cipher) => {
  it('keeps the pages of its host from being claimed while it is unavailable', async () => {
    const [silent, other] = [newOrigin(), newOrigin()];
    const { crawl, place, claimed } = await newCrawl([silent, other], cipher);
    await recordRobotsFailure(db, place(silent), { ...failure, retryAfterMs: 40_000 });
    expect(await claimed()).toEqual([other]);
    const { dueInMs } = await readJobWorkload(db, crawl.jobId);
    expect(dueInMs).toBeGreaterThan(30_000);
    expect(dueInMs).toBeLessThanOrEqual(40_000);
    await endRobotsWait(db, place(silent));
    expect(await claimed()).toEqual([silent]);
  });

  it('is recorded once by concurrent workers, and waits as long as Retry-After says', async () => {
    const origin = newOrigin();
    const { place } = await newCrawl([origin], cipher);
    await Promise.all(
      [1, 2, 3].map(() => recordRobotsFailure(db, place(origin), { ...failure, retryAfterMs: 90_000 })),
    );
    const wait = await findRobotsWait(db, place(origin));
    expect(wait).toMatchObject({ tries: 1, isGivenUp: false, reason: 'HTTP 503' });
    expect(wait?.waitMs).toBeGreaterThan(60_000);
  });

  it('is requested again after growing pauses', async () => {
    const origin = newOrigin();
    const { crawl, place } = await newCrawl([origin], cipher);
    for (const [round, pauseMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      const startedAt = performance.now();
      await recordRobotsFailure(db, place(origin), { ...failure, maxWaitMs: 600_000 });
      const wait = await findRobotsWait(db, place(origin));
      expect(wait?.tries).toBe(round + 1);
      // The rest of the pause; together with the time that the test took, it is the whole pause.
      expect(wait?.waitMs).toBeLessThanOrEqual(pauseMs);
      expect((wait?.waitMs ?? 0) + (performance.now() - startedAt)).toBeGreaterThanOrEqual(pauseMs);
      await db.query
        .updateTable('robots_waits')
        .set({ until: new Date(Date.now() - 1) })
        .where('job_id', '=', crawl.jobId)
        .execute();
    }
  });

  it('is given up when the host was unresponsive for too long', async () => {
    const origin = newOrigin();
    const { crawl, place, claimed } = await newCrawl([origin], cipher);
    await recordRobotsFailure(db, place(origin), failure);
    await db.query
      .updateTable('robots_waits')
      .set({ since: new Date(Date.now() - failure.maxWaitMs - 1), until: new Date(Date.now() - 1) })
      .where('job_id', '=', crawl.jobId)
      .execute();
    await recordRobotsFailure(db, place(origin), { ...failure, reason: 'HTTP 500' });
    const given = { tries: 2, isGivenUp: true, waitMs: 0, reason: 'HTTP 500' };
    expect(await findRobotsWait(db, place(origin))).toEqual(given);
    await recordRobotsFailure(db, place(origin), failure);
    expect(await findRobotsWait(db, place(origin))).toEqual(given);
    // Its pages are claimed, and fail.
    expect(await claimed()).toEqual([origin]);
  });
});
