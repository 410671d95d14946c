import { sql } from 'kysely';
import { LISTED_KINDS } from '../../../job-kinds.ts';
import type { Database } from '../client.ts';
import type { JobStatus } from '../tables.ts';
import type { ListCursor } from './jobs.ts';

/** Which jobs of a team are listed. */
interface JobFilter {
  status?: JobStatus | undefined;
  /** A text that the target contains, in any case. */
  target?: string | undefined;
  errorCode?: string | undefined;
  statusCode?: number | undefined;
  /** The name of an API key. */
  apiKey?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/** A part of the list of a team's jobs. */
interface JobPage {
  teamId: string;
  /** Absent for all kinds that are listed. */
  kind?: string | undefined;
  limit: number;
  /** The last job of the part before. */
  after?: ListCursor | undefined;
}

/** Selects a team's jobs, newest first, without those that are a part of another job. */
function selectNewest(db: Database, { teamId, kind, limit, after }: JobPage) {
  const query = db.query
    .selectFrom('jobs')
    .where('jobs.team_id', '=', teamId)
    .where('jobs.kind', 'in', kind ? [kind] : LISTED_KINDS)
    .where('jobs.parent_id', 'is', null)
    .orderBy('jobs.created_at', 'desc')
    .orderBy('jobs.id', 'desc')
    .limit(limit);
  if (!after) return query;
  return query.where(sql<boolean>`(jobs.created_at, jobs.id) < (${after.createdAt}, ${after.id}::uuid)`);
}

/** Lists a team's jobs of the last 24 hours, newest first. */
export async function listActivity(db: Database, page: JobPage) {
  return selectNewest(db, page)
    .select(['id', 'kind', 'target', 'created_at'])
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .execute();
}

/** Lists a team's jobs with their progress, newest first. */
export async function listJobs(db: Database, { status, ...page }: JobPage & JobFilter) {
  const { target, errorCode, statusCode, apiKey, since, until } = page;
  let query = selectNewest(db, page)
    .leftJoin('job_progress as progress', 'progress.job_id', 'jobs.id')
    .leftJoin('api_keys', 'api_keys.id', 'jobs.api_key_id')
    .select((column) => [
      ...([
        'jobs.id',
        'jobs.kind',
        'jobs.status',
        'jobs.target',
        'jobs.created_at',
        'jobs.finished_at',
        'jobs.status_code',
      ] as const),
      ...(['progress.paused', 'progress.known', 'progress.completed', 'progress.failed'] as const),
      'api_keys.name as api_key',
      // Pages are paid one by one while a batch or crawl runs.
      column.fn.coalesce('progress.credits', 'jobs.credits').as('credits'),
      // The message of a job with zero data retention is encrypted.
      sql<{ code: string; message: string } | null>`case when jobs.wrapped_key is null then jobs.error
        when jobs.error is not null then jsonb_build_object('code', jobs.error->'code', 'message', '') end`.as(
        'error',
      ),
    ]);
  if (status) query = query.where('jobs.status', '=', status);
  if (target) query = query.where(sql<boolean>`position(lower(${target}) in lower(jobs.target)) > 0`);
  if (errorCode) query = query.where(sql<boolean>`jobs.error->>'code' = ${errorCode}`);
  if (statusCode) query = query.where('jobs.status_code', '=', statusCode);
  if (apiKey) query = query.where('api_keys.name', '=', apiKey);
  if (since) query = query.where('jobs.created_at', '>=', since);
  if (until) query = query.where('jobs.created_at', '<', until);
  return query.execute();
}
