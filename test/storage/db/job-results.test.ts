import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpiredResults } from '../../../src/storage/db/jobs/expired-jobs.ts';
import { insertJob } from '../../../src/storage/db/jobs/jobs.ts';
import { completeJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { type JobResults, openJobResults } from '../../../src/storage/job-results.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';

const SMALL = Buffer.from(JSON.stringify({ markdown: 'small '.repeat(1_000) }));
/** Larger than what is stored in the database, and incompressible. */
const LARGE = randomBytes(300_000);

const db = useDatabase();
let directory: string;
let results: JobResults;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-test-'));
  results = await openJobResults(directory, db);
  await results.ready();
});
afterAll(() => rm(directory, { recursive: true }));

const storedFiles = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    .length;

async function newJob(): Promise<string> {
  const team = await makeTeam(db);
  const job = {
    id: uuidv7(),
    teamId: team.id,
    apiKeyId: null,
    kind: 'scrape',
    target: 'http://a.test',
  } as const;
  await insertJob(db, { ...job, request: {}, ttlMs: 60_000 });
  return job.id;
}

/** Ends a job with a result as an activity does. @returns the key of the result */
async function end(jobId: string, result: Buffer): Promise<string> {
  const stored = await results.putResult(jobId, result);
  await completeJob(db, { jobId, credits: 1, ...stored });
  return stored.blob;
}

describe('the result of a job', () => {
  it('is stored by the statement that ends the job if it is small, and in a file if not', async () => {
    const before = await storedFiles();
    const small = await end(await newJob(), SMALL);
    expect(await storedFiles()).toBe(before);
    const large = await end(await newJob(), LARGE);
    expect(await storedFiles()).toBe(before + 1);
    expect(await results.get(small)).toEqual(SMALL);
    expect(await results.get(large)).toEqual(LARGE);
  });

  it('is not there before the job has ended', async () => {
    const { blob } = await results.putResult(await newJob(), SMALL);
    await expect(results.get(blob)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['small', SMALL, LARGE],
    ['large', LARGE, SMALL],
  ])('is the first one for both attempts that ended the job, if that was %s', async (_, first, second) => {
    const jobId = await newJob();
    const keys = [await end(jobId, first), await end(jobId, second)];
    expect(await results.get(keys[0]!)).toEqual(first);
    // An attempt that comes late with a large result has its own file.
    expect(await results.get(keys[1]!)).toEqual(second === LARGE ? LARGE : first);
  });

  it('is deleted when it has expired, and asking a blob store to remove a small one changes nothing', async () => {
    const jobId = await newJob();
    const key = await end(jobId, SMALL);
    await results.remove(key);
    expect(await results.get(key)).toEqual(SMALL);
    await db.query
      .updateTable('jobs')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', jobId)
      .execute();
    while ((await deleteExpiredResults(db, new Date())) > 0);
    await expect(results.get(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
