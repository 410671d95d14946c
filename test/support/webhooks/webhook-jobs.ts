import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { webhook } from '../../../src/schemas/webhook.ts';
import type { Database } from '../../../src/storage/db/client.ts';
import { endJob, type JobEnd } from '../../../src/storage/db/jobs/job-progress.ts';
import { insertPageJob } from '../../../src/storage/db/jobs/page-jobs.ts';
import { makeTeam, type TestTeam } from '../storage/database.ts';
import type { Received } from './receiver.ts';

/** A crawl that no workflow runs: its pages end when a test says so. */
export interface TestJob {
  id: string;
  team: TestTeam;
}

/** Writes a crawl down. @param options.webhook as a request has it */
export async function makeJob(
  db: Database,
  options: { webhook: unknown; pages?: number; team?: TestTeam },
): Promise<TestJob> {
  const team = options.team ?? (await makeTeam(db));
  const id = uuidv7();
  await insertPageJob(db.query, {
    id,
    teamId: team.id,
    apiKeyId: null,
    kind: 'crawl',
    target: 'http://a.test/',
    request: {},
    ttlMs: 3_600_000,
    pages: Array.from({ length: options.pages ?? 0 }, (_, n) => ({
      url: `http://a.test/${n}`,
      host: 'a.test',
      depth: 0,
    })),
    limit: null,
    maxConcurrency: null,
    delayMs: null,
    webhook: webhook.parse(options.webhook),
    baseUrl: 'http://winnow.test',
  });
  // The service would start a workflow for a crawl that has none and is not paused.
  await db.query.updateTable('job_progress').set({ paused: true }).where('job_id', '=', id).execute();
  return { id, team };
}

/** Ends pages of a job, from one ordinal on, with the events that this has. */
export async function endPages(
  db: Database,
  job: TestJob,
  end: { from?: number; count: number; blob?: string; error?: string },
): Promise<void> {
  const { from = 0, count, blob = null, error = null } = end;
  await sql`
    with ended as (
      update pages set status = ${error === null ? 'completed' : 'failed'}, blob = ${blob}
      where job_id = ${job.id} and ordinal >= ${from} and ordinal < ${from + count} returning ordinal
    )
    insert into webhook_deliveries (job_id, team_id, type, ordinal, error)
    select ${job.id}, ${job.team.id}, 'crawl.page', ordinal, ${error}::text from ended order by ordinal`.execute(
    db.query,
  );
}

/** Ends a job, whatever pages it has. */
export async function endTestJob(
  db: Database,
  job: TestJob,
  end: JobEnd = { status: 'completed' },
): Promise<void> {
  await sql`
    update job_progress set discovering = false, completed = known where job_id = ${job.id}`.execute(
    db.query,
  );
  await endJob(db, { jobId: job.id, end, ttlMs: 3_600_000 });
}

/** The deliveries of a job in the order of their events. */
export const deliveriesOf = (db: Database, { id }: TestJob) =>
  db.query
    .selectFrom('webhook_deliveries')
    .selectAll()
    .select(sql<number>`round(extract(epoch from due_at - last_attempt_at))::int`.as('waitSeconds'))
    .where('job_id', '=', id)
    .orderBy('sequence')
    .execute();

/** Makes what waits for its time due. */
export async function makeDue(db: Database, { id }: TestJob): Promise<void> {
  await sql`update webhook_deliveries set due_at = now() where job_id = ${id} and status = 'pending'`.execute(
    db.query,
  );
}

/** The signature of what was received, as its receiver would make it. */
export const signatureOf = ({ raw }: Received, secret: string) =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;
