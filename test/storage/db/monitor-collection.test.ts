import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetsOf } from '../../../src/jobs/monitors/begin-check.ts';
import { collectEndedJobs } from '../../../src/jobs/monitors/collect-pages.ts';
import { insertCheckJobs } from '../../../src/jobs/monitors/plan-jobs.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { completeJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { listCheckJobs } from '../../../src/storage/db/monitors/check-jobs.ts';
import { listCheckPages } from '../../../src/storage/db/monitors/pages.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';
import { storeCheck, storeMonitor } from '../../support/storage/monitors.ts';

/** How the pages of the jobs of a check get into it. */

const db = useOwnDatabase();
let directory: string;
let results: Blobs;
let monitorBlobs: Blobs;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-collection-'));
  results = await openBlobs(directory, 'results');
  monitorBlobs = await openBlobs(directory, 'monitors');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Begins a check of searches, one for each query. */
async function beginCheck(queries: string[]) {
  const team = await makeTeam(db);
  const targets = queries.map((query) => ({ type: 'search', id: query, queries: [query] }));
  const monitor = await storeMonitor(db, { team_id: team.id, targets: JSON.stringify(targets) });
  const checkId = await storeCheck(db, monitor);
  await insertCheckJobs(db.query, { checkId, monitor, ttlMs: 60_000 }, targetsOf(monitor));
  return { checkId, monitor, signal: new AbortController().signal };
}

/** Ends the search of a target with one result. */
async function endSearch(checkId: string, query: string): Promise<void> {
  const jobs = await listCheckJobs(db, checkId);
  const { jobId } = jobs.find(({ targetId }) => targetId === query)!;
  const web = [{ url: `https://${query}.test/`, title: query, description: '', position: 1 }];
  const blob = await results.put(Buffer.from(JSON.stringify({ success: true, data: { web } })));
  await completeJob(db, { jobId, credits: 1, blob });
}

const depsWith = (readable: Blobs) => ({
  db,
  results: readable,
  monitorBlobs,
  resultTtlMs: 60_000,
  models: undefined,
  logger: createLogger('worker', 'silent'),
  renderer: {
    comparePictures: () => Promise.reject(new Error('There are no pictures.')),
    matchLines: () => Promise.reject(new Error('There are no patterns.')),
  },
});

const urlsOf = async (checkId: string) =>
  (await listCheckPages(db, { checkId, limit: 10, skip: 0 })).map(({ url }) => url);

describe('a check', () => {
  it('has the pages of a job that ends while those of another one are added', async () => {
    const check = await beginCheck(['lamps', 'rugs', 'chairs']);
    await endSearch(check.checkId, 'lamps');
    const ends = ['rugs', 'chairs'];
    const slow: Blobs = {
      ...results,
      async get(key) {
        const next = ends.shift();
        if (next) await endSearch(check.checkId, next);
        return results.get(key);
      },
    };
    expect(await collectEndedJobs(depsWith(slow), check)).toEqual([]);
    expect(await urlsOf(check.checkId)).toEqual(
      ['lamps', 'rugs', 'chairs'].map((name) => `https://${name}.test/`),
    );
  });

  it('waits for the jobs that run', async () => {
    const check = await beginCheck(['lamps', 'rugs']);
    await endSearch(check.checkId, 'rugs');
    expect(await collectEndedJobs(depsWith(results), check)).toMatchObject([
      { targetId: 'lamps', status: 'scraping' },
    ]);
    expect(await urlsOf(check.checkId)).toEqual(['https://rugs.test/']);
  });
});
