import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { isJsonObject } from '../../../json/json-object.ts';
import type { Database } from '../client.ts';

/**
 * How long a repeated request gets the result of a scrape that has ended. Clients repeat it within ten
 * minutes.
 */
const JOINABLE_MINUTES_AFTER_END = 15;

/** The options of a request that its result does not depend on. */
const WITHOUT_EFFECT = new Set(['timeout', 'origin', 'integration']);

/** A hash of everything in a request that its result depends on. */
function fingerprintOf(request: { upload?: { digest?: string } }): Buffer {
  const { upload } = request;
  // A file that is sent with each request has another id each time.
  const file = upload?.digest === undefined ? upload : { ...upload, id: undefined };
  const relevant = Object.entries({ ...request, upload: file }).filter(([name]) => !WITHOUT_EFFECT.has(name));
  // Postgres stores the members of an object in an order of its own.
  const sorted = JSON.stringify(Object.fromEntries(relevant), (_name, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(sorted).digest();
}

/** How far a conversion is that takes long. */
export interface LongConversionState {
  /** Whether its parser has started, instead of waiting for a place. */
  isRunning: boolean;
  /** Number of pages of the document; `undefined` if it is not known, or the type has no pages. */
  pages: number | undefined;
  /** Estimated seconds to its end; `undefined` if they cannot be estimated. */
  remainingSeconds: number | undefined;
}

const stateColumns = ({ isRunning, pages, remainingSeconds }: LongConversionState) => ({
  is_running: isRunning,
  pages: pages ?? null,
  remaining_seconds: remainingSeconds ?? null,
});

/**
 * Records that the scrape of a document continues after the timeout of its request.
 * @param conversion.endsAt when it is ended if it is not done
 */
export async function recordLongConversion(
  db: Database,
  { jobId, endsAt, ...conversion }: JoinableRequest & LongConversionState & { jobId: string; endsAt: Date },
): Promise<void> {
  const { teamId, request, ...state } = conversion;
  await db.query
    .insertInto('long_conversions')
    .values({
      job_id: jobId,
      team_id: teamId,
      fingerprint: fingerprintOf(request),
      ends_at: endsAt,
      ...stateColumns(state),
    })
    // An earlier attempt of the scrape may have recorded it.
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet({ ends_at: endsAt, ...stateColumns(state) }),
    )
    .execute();
}

/** Updates how far such a scrape is. Does nothing if its result was delivered meanwhile. */
export async function updateLongConversion(
  db: Database,
  jobId: string,
  state: LongConversionState,
): Promise<void> {
  await db.query
    .updateTable('long_conversions')
    .set(stateColumns(state))
    .where('job_id', '=', jobId)
    .execute();
}

/** A request for a scrape. */
export interface JoinableRequest {
  teamId: string;
  request: { upload?: { digest?: string } };
}

/**
 * Finds the newest scrape of the same request whose document took longer than its timeout, whether it runs or
 * its result has not been delivered yet.
 * @returns the id of its job
 */
export async function findLongConversion(
  db: Database,
  request: JoinableRequest,
): Promise<string | undefined> {
  return (await selectLongConversion(db.query, request).executeTakeFirst())?.job_id;
}

/** The statement of {@link findLongConversion}, for others that it is a part of. */
export const selectLongConversion = (
  query: Pick<Database['query'], 'selectFrom'>,
  request: JoinableRequest,
) =>
  query
    .selectFrom('long_conversions')
    .innerJoin('jobs', 'jobs.id', 'long_conversions.job_id')
    .select('job_id')
    .where('long_conversions.team_id', '=', request.teamId)
    .where('fingerprint', '=', fingerprintOf(request.request))
    .where((where) =>
      where.or([
        where('jobs.status', '=', 'scraping'),
        where(
          'jobs.finished_at',
          '>',
          sql<Date>`now() - make_interval(mins => ${JOINABLE_MINUTES_AFTER_END})`,
        ),
      ]),
    )
    .orderBy('started_at', 'desc')
    .limit(1);

/**
 * Whether a team has any scrape whose document took longer than its timeout, and whose result has not been
 * delivered.
 */
export async function hasLongConversion(db: Pick<Database, 'query'>, teamId: string): Promise<boolean> {
  const row = await db.query
    .selectFrom('long_conversions')
    .select('job_id')
    .where('team_id', '=', teamId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Reads how far the scrape of a document is that continues after the timeout of its request; `undefined` for
 * any other.
 */
export async function readLongConversion(
  db: Database,
  jobId: string,
): Promise<(LongConversionState & { endsAt: Date }) | undefined> {
  const row = await db.query
    .selectFrom('long_conversions')
    .select(['is_running', 'pages', 'remaining_seconds', 'ends_at as endsAt'])
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { is_running: isRunning, pages, remaining_seconds, endsAt } = row;
  return { isRunning, pages: pages ?? undefined, remainingSeconds: remaining_seconds ?? undefined, endsAt };
}

/**
 * Forgets such a scrape, because its result was delivered or it has failed: the next request starts a new
 * one.
 */
export async function forgetLongConversion(db: Database, jobId: string): Promise<void> {
  await db.query.deleteFrom('long_conversions').where('job_id', '=', jobId).execute();
}
