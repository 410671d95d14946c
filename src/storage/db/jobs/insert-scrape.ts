import { sql } from 'kysely';
import { type Database, type Queryable, UNSYNCED_COMMIT } from '../client.ts';
import { PREPARED, runPrepared } from '../prepared-statements.ts';
import { type SlotLease, takeSlot } from '../teams/slots.ts';
import { jobExpressions, type LeasedJob, type NewJob } from './jobs.ts';
import { type JoinableRequest, selectLongConversion } from './long-conversions.ts';

/** The outcome of storing a request for a scrape. */
export interface StoredRequest {
  /** The id of the scrape that it joins; `undefined` if its own job was stored. */
  joined?: string | undefined;
  /** Its job, if a slot was to be taken for it at once. */
  leased?: LeasedJob | undefined;
}

/**
 * Stores the job of a scrape, unless `findLongConversion` finds one that its request can join. All is one
 * statement, because nearly all requests join nothing.
 * @param takesSlot whether to take a slot of the team for the job, too, as `loadJobWithSlot` does. The
 *   statement then does not wait for the disk, because the page can be fetched meanwhile; see {@link
 *   waitForDisk}
 */
export async function insertOrJoin(
  query: Queryable,
  job: NewJob & { request: JoinableRequest['request'] },
  { takesSlot }: { takesSlot: boolean },
): Promise<StoredRequest> {
  const { columns, values } = jobExpressions(job);
  const lease = takeSlot({
    teamId: sql.ref('teams.id'),
    holder: sql`${job.id}::text`,
    limit: sql.ref('teams.concurrency'),
  });
  const statement = query
    .with('joinable', (query) => selectLongConversion(query, job))
    .with('stored', (query) =>
      query
        .insertInto('jobs')
        .columns(columns)
        .expression(({ selectFrom }) =>
          query
            .selectNoFrom(values)
            .where(({ exists, not }) => not(exists(selectFrom('joinable').select('job_id')))),
        )
        .returning(['request', 'status', 'wrapped_key']),
    )
    .selectFrom('teams')
    .leftJoin('joinable', (join) => join.onTrue())
    .leftJoin('stored', (join) => join.onTrue())
    .select([
      'teams.id as team_id',
      'concurrency',
      'job_id',
      'request',
      'status',
      'wrapped_key as wrappedKey',
    ])
    .select(
      sql<SlotLease | null>`case when ${sql.lit(takesSlot)} and status is not null then ${lease} end`.as(
        'lease',
      ),
    )
    .$if(takesSlot, (jobs) => jobs.select(UNSYNCED_COMMIT.as('commit')))
    .where('teams.id', '=', job.teamId);
  const [row] = await runPrepared(query, statement);
  if (!row) throw new Error(`the team ${job.teamId} does not exist`);
  const { job_id: joined, status, commit: _, ...leased } = row;
  if (joined !== null) return { joined };
  return takesSlot && status !== null ? { leased: { ...leased, status } } : {};
}

/**
 * Waits until all that was committed before is on the disk of the database, where {@link insertOrJoin} did
 * not.
 */
export async function waitForDisk({ query }: Pick<Database, 'query'>): Promise<void> {
  // A commit waits for all before it, but only if it has something to write itself.
  await sql`${PREPARED} select pg_logical_emit_message(true, 'winnow', '')`.execute(query);
}
