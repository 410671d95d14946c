import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { Database, Queryable } from '../client.ts';
import { lockCredits } from './available-credits.ts';
import type { Caller } from './teams.ts';

/** The kinds of jobs that may stay open for long. */
const LONG_JOBS = ['batch_scrape', 'crawl', 'agent', 'extract'];
/** How long the size of a team's results counts before it is measured again, in milliseconds. */
const MEASURED_FOR_MS = 30_000;
/** A large result of a single request is a file, whose size no row has; it counts as this many bytes. */
const LARGE_RESULT_BYTES = 256 * 1024;

/**
 * Requires that a team may begin another batch, crawl, agent or extract.
 * @param query the transaction that stores it
 * @throws ServiceError `JOB_LIMIT_REACHED`
 */
export async function requireOpenJob(
  query: Queryable,
  { teamId, openJobs: limit }: Pick<Caller, 'teamId' | 'openJobs'>,
): Promise<void> {
  if (limit === null) return;
  // Requests of the team at the same moment are counted one after the other.
  await lockCredits(query, teamId);
  const count = await countOpenJobs(query, teamId);
  if (count < limit) return;
  throw new ServiceError(
    'JOB_LIMIT_REACHED',
    `The team has ${count} batches, crawls, agents and extracts that have not ended, and at most ${limit} are allowed. Wait for one to end, or cancel one.`,
  );
}

/** Counts the batches, crawls, agents and extracts of a team that have not ended. */
export async function countOpenJobs(query: Queryable, teamId: string): Promise<number> {
  const { count } = await query
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('status', '=', 'scraping')
    .where('parent_id', 'is', null)
    .where('kind', 'in', LONG_JOBS)
    .executeTakeFirstOrThrow();
  return count;
}

/** Knows how much the results of each team take. */
export class StoredResults {
  readonly #db: Database;
  readonly #measured = new Map<string, { bytes: number; at: number }>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Requires that the results of a team leave room for more. They are measured every half minute, so what is begun
   * meanwhile may exceed the limit, as may jobs that were begun before.
   * @throws ServiceError `STORAGE_LIMIT_REACHED`
   */
  async requireRoom({ teamId, storedMegabytes: limit }: Pick<Caller, 'teamId' | 'storedMegabytes'>) {
    if (limit === null) return;
    const megabytes = await this.megabytesOf(teamId);
    if (megabytes < limit) return;
    throw new ServiceError(
      'STORAGE_LIMIT_REACHED',
      `The results of the team take ${megabytes} MiB, and may take ${limit}. They are deleted when they expire, as \`expiresAt\` of each job says. The operator can raise the limit (\`team set --stored-mb\`).`,
    );
  }

  /** The MiB that the results of a team take, as they were measured in the last half minute. */
  async megabytesOf(teamId: string): Promise<number> {
    return Math.floor((await this.#bytesOf(teamId)) / 1024 ** 2);
  }

  async #bytesOf(teamId: string): Promise<number> {
    const known = this.#measured.get(teamId);
    if (known && Date.now() - known.at < MEASURED_FOR_MS) return known.bytes;
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(sum(
          coalesce(job_progress.bytes + archived_bytes, 0) + coalesce(single.bytes, 0)), 0)::float8 as bytes
      from jobs
        left join job_progress on job_progress.job_id = jobs.id
        left join lateral (
          select sum(coalesce(length(small), ${LARGE_RESULT_BYTES})) as bytes from results where job_id = jobs.id
        ) as single on true
      where jobs.team_id = ${teamId} and (jobs.expires_at > now() or jobs.status = 'scraping')`.execute(
      this.#db.query,
    );
    const bytes = rows[0]?.bytes ?? 0;
    this.#measured.set(teamId, { bytes, at: Date.now() });
    return bytes;
  }
}
