import { expect, it } from 'vitest';
import { runFuzz } from '../../bench/fuzz/run-fuzz.ts';
import { startFuzzSite } from '../../bench/fuzz/site.ts';
import { useService } from '../support/service/use-service.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

/** The short form of `bench/fuzz.ts`. */

const service = useService();
const db = useDatabase();

it('answers requests made from its reference, valid and not, as the reference says', async () => {
  await using site = await startFuzzSite();
  const { id, key } = await makeTeam(db, { rateLimitPerMinute: 100_000, sessions: 1 });
  const { sent, findings, statuses, operations } = await runFuzz({
    access: { url: service.url, key },
    urls: site.urls,
    seed: 1,
    // Without a full run, each operation gets each kind of request once.
    requests: IS_FULL_RUN ? 5_000 : 350,
    lanes: 4,
    hangMs: 120_000,
  });
  expect(findings).toEqual([]);
  expect(sent).toBeGreaterThan(3 * operations.length);
  const seen = new Set([...statuses.values()].flatMap((ofKind) => [...ofKind.keys()]));
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 410]));
  const jobs = await db.query.selectFrom('jobs').select('error').where('team_id', '=', id).execute();
  expect(jobs.length).toBeGreaterThan(0);
  expect(jobs.filter(({ error }) => error?.code === 'UNKNOWN_ERROR')).toEqual([]);
}, 300_000);
