import { sql } from 'kysely';
import { priceOfSession } from '../../credits.ts';
import { ServiceError } from '../../errors.ts';
import type { SessionKind } from '../../job-kinds.ts';
import type { SessionVisitor } from '../../schemas/session.ts';
import type { SessionEndReason } from '../../schemas/session-end.ts';
import type { Database, Queryable } from './client.ts';
import { jobRow, type NewJob } from './jobs/jobs.ts';
import { completeSessionJob } from './jobs/take-credits.ts';
import { hasMaxSessions } from './session-limit.ts';
import { availableCredits, lockCredits, readAvailableCredits } from './teams/available-credits.ts';

/** A browser session that is not stored yet. */
export interface NewSession {
  id: string;
  teamId: string;
  apiKeyId: string | null;
  kind: SessionKind;
  /** The scrape that the session continues. */
  scrapeId?: string;
  /** The text for the list of activity. */
  target: string;
  salt: Buffer;
  ttlSeconds: number;
  activityTtlSeconds: number;
  streamWebView: boolean;
  profile?: { name: string; saveChanges: boolean } | undefined;
  /** The visitor that sites see. */
  visitor: SessionVisitor;
  /** Whether it is recorded. */
  isRecorded: boolean;
  /** How long the row is kept, in milliseconds. */
  keptMs: number;
}

/** The outcome of an insert. If the scrape has a session already, `id` is the id of that session. */
type SessionInsert =
  | { result: 'stored'; id: string; session: StoredSession }
  | { result: 'limit' | 'exists'; id: string };

/**
 * Stores a session unless its team has as many as it may have, or the scrape has one already.
 * @param query a transaction
 */
export async function insertSession(query: Queryable, session: NewSession): Promise<SessionInsert> {
  // The check of the limit locks the team's sessions, so it comes first.
  const isFull = await hasMaxSessions(query, session.teamId);
  const existing = session.scrapeId && (await findSessionOfScrape({ query }, session.scrapeId));
  if (existing) return { result: 'exists', id: existing.id };
  const { id } = session;
  if (isFull) return { result: 'limit', id };
  const { teamId, apiKeyId, kind, target, keptMs, ttlSeconds } = session;
  const job: NewJob = {
    id,
    teamId,
    apiKeyId,
    kind,
    target,
    request: {},
    ttlMs: keptMs,
  };
  await query.insertInto('jobs').values(jobRow(job)).execute();
  const stored = await query
    .insertInto('browser_sessions')
    .values({
      id,
      team_id: teamId,
      scrape_id: session.scrapeId ?? null,
      salt: session.salt,
      ttl_seconds: ttlSeconds,
      activity_ttl_seconds: session.activityTtlSeconds,
      stream_web_view: session.streamWebView,
      profile: session.profile?.name ?? null,
      saves_profile: session.profile?.saveChanges ?? false,
      visitor: JSON.stringify(session.visitor),
      is_recorded: session.isRecorded,
      expires_at: sql<Date>`now() + make_interval(secs => ${ttlSeconds})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { result: 'stored', id, session: { ...stored, target, credits: 0, apiKeyId } };
}

/** A browser session. */
export type StoredSession = NonNullable<Awaited<ReturnType<typeof findSession>>>;

/** Sessions, with the text that the list of activity shows of them. */
const selectSessions = (db: Pick<Database, 'query'>) =>
  db.query
    .selectFrom('browser_sessions')
    .innerJoin('jobs', 'jobs.id', 'browser_sessions.id')
    .selectAll('browser_sessions')
    .select(['jobs.target', 'jobs.credits', 'jobs.api_key_id as apiKeyId']);

/** Finds a session. */
export async function findSession(db: Database, id: string) {
  return selectSessions(db).where('browser_sessions.id', '=', id).executeTakeFirst();
}

/** Finds the session that continues a scrape. */
export async function findSessionOfScrape(db: Pick<Database, 'query'>, scrapeId: string) {
  return selectSessions(db).where('scrape_id', '=', scrapeId).executeTakeFirst();
}

/** Maximum number of sessions in a list. */
const MAX_LISTED = 200;

/** The reasons of an end that neither a user nor a limit caused. */
const FAULTS: readonly SessionEndReason[] = ['failed', 'crashed', 'lost'];

/**
 * Lists the sessions of a team, newest first, at most 200. Those whose start was refused or failed are none: nobody
 * has got their id.
 * @param options.status `active` includes those that start
 */
export async function listSessions(
  db: Database,
  { teamId, status }: { teamId: string; status: 'active' | 'destroyed' | 'error' | undefined },
) {
  let query = selectSessions(db)
    .where('browser_sessions.team_id', '=', teamId)
    .where((is) =>
      is.or([
        is('end_reason', 'is', null),
        is('end_reason', '<>', 'failed'),
        is('opened_at', 'is not', null),
      ]),
    )
    .orderBy('browser_sessions.created_at', 'desc')
    .orderBy('browser_sessions.id')
    .limit(MAX_LISTED);
  if (status === 'active') query = query.where('state', '<>', 'destroyed');
  if (status === 'destroyed') query = query.where('state', '=', 'destroyed');
  if (status === 'error') query = query.where('end_reason', 'in', FAULTS);
  return query.execute();
}

/**
 * Records that the browser of a session runs on a host.
 * @returns whether the session was waiting for it, or runs there already; one that has ended or runs on
 *   another host was not waiting
 */
export async function openSession(
  db: Database,
  { id, host, warning }: { id: string; host: string; warning?: string | undefined },
): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('browser_sessions')
    .set({
      state: 'active',
      host,
      warning: warning ?? null,
      opened_at: sql<Date>`coalesce(opened_at, now())`,
    })
    .where('id', '=', id)
    .where((is) => is.or([is('state', '=', 'creating'), is.and({ state: 'active', host })]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Lengthens the lifetime of a session, and never shortens it.
 * @param options.ttlSeconds the lifetime from its start
 * @param onChange tells the workflow of the session when it ends now. It is not called if nothing changes;
 *   if it fails, nothing is stored, so that a repeated call tells the workflow again.
 * @returns when it ends now; `undefined` if it has ended, or its time is over
 */
export async function extendSession(
  db: Database,
  { id, ttlSeconds }: { id: string; ttlSeconds: number },
  onChange: (expiresAt: Date) => Promise<void>,
): Promise<Date | undefined> {
  return db.query.transaction().execute(async (query) => {
    const extended = await query
      .updateTable('browser_sessions as session')
      .from((from) =>
        from
          .selectFrom('browser_sessions')
          .select(['id', 'expires_at'])
          .where('id', '=', id)
          .forUpdate()
          .as('before'),
      )
      .set({
        ttl_seconds: sql<number>`greatest(session.ttl_seconds, ${ttlSeconds})`,
        expires_at: sql<Date>`greatest(session.expires_at, session.created_at + make_interval(secs => ${ttlSeconds}))`,
      })
      .whereRef('session.id', '=', 'before.id')
      .where('session.state', '<>', 'destroyed')
      .where('session.expires_at', '>', sql<Date>`now()`)
      .returning(['session.expires_at', 'before.expires_at as previous'])
      .executeTakeFirst();
    if (extended && extended.expires_at > extended.previous) await onChange(extended.expires_at);
    return extended?.expires_at;
  });
}

/** Records where the recording of a session is. @param key of a blob */
export async function storeRecording(db: Database, { id, key }: { id: string; key: string }): Promise<void> {
  await db.query.updateTable('browser_sessions').set({ recording: key }).where('id', '=', id).execute();
}

/** Records when a session was last active. */
export async function recordActivity(db: Database, { id, at }: { id: string; at: Date }): Promise<void> {
  await db.query
    .updateTable('browser_sessions')
    .set({ last_activity_at: sql<Date>`greatest(last_activity_at, ${at})` })
    .where('id', '=', id)
    .where('state', '=', 'active')
    .execute();
}

/**
 * Records that a prompt was used in a session, which raises its price. First prompts of several sessions wait
 * for each other, so that they do not spend the same credits.
 * @throws ServiceError `INSUFFICIENT_CREDITS` if the team cannot pay the new price beside its running work
 */
export async function markPrompted(db: Database, id: string): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    // The session is locked before the credits of its team, as at its end.
    const session = await query
      .updateTable('browser_sessions')
      .set({ prompted: true })
      .where('id', '=', id)
      .where('prompted', '=', false)
      .returning('team_id as teamId')
      .executeTakeFirst();
    if (!session) return;
    await lockCredits(query, session.teamId);
    const left = await readAvailableCredits({ query }, session.teamId);
    if (left === undefined || left >= 0) return;
    throw new ServiceError(
      'INSUFFICIENT_CREDITS',
      `Insufficient credits: with prompts, the session costs ${-left} more than the team has left beside its running work. Ask your operator for more, send code instead, or try again when that work has ended.`,
    );
  });
}

/**
 * Whether the team of a session can pay for all its open sessions as long as they have lasted so far, besides
 * its other running work. A team without a limit always can.
 */
export async function areSessionsCovered(db: Database, id: string): Promise<boolean> {
  const team = await db.query
    .selectFrom('browser_sessions as session')
    .innerJoin('teams', 'teams.id', 'session.team_id')
    .select(availableCredits().as('credits'))
    .where('session.id', '=', id)
    .executeTakeFirst();
  return (team?.credits ?? 0) >= 0;
}

/** The reasons of the end of a session that could not be opened. */
const FAILED_STARTS: readonly SessionEndReason[] = ['failed', 'lost'];

/** The outcome of a session. */
export interface SessionOutcome {
  durationMs: number;
  credits: number;
}

/** The outcome of a session that has ended. */
export const outcomeOf = ({
  opened_at: openedAt,
  ended_at: endedAt,
  credits,
}: Pick<StoredSession, 'opened_at' | 'ended_at' | 'credits'>): SessionOutcome => ({
  durationMs: openedAt && endedAt ? Math.max(0, endedAt.getTime() - openedAt.getTime()) : 0,
  credits: credits ?? 0,
});

/**
 * Ends a session and bills it, once: a second call changes nothing and returns the outcome of the first.
 * @returns `undefined` for an unknown session
 */
export async function endSession(
  db: Database,
  { id, reason }: { id: string; reason: SessionEndReason },
): Promise<SessionOutcome | undefined> {
  return db.query.transaction().execute(async (query) => {
    const row = await query
      .selectFrom('browser_sessions')
      .innerJoin('jobs', 'jobs.id', 'browser_sessions.id')
      .select(['state', 'prompted', 'opened_at', 'ended_at', 'browser_sessions.expires_at', 'jobs.credits'])
      .select(sql<Date>`now()`.as('now'))
      .where('browser_sessions.id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return undefined;
    // A session whose host was lost is not billed beyond its lifetime.
    const endedAt = row.ended_at ?? new Date(Math.min(row.now.getTime(), row.expires_at.getTime()));
    const outcome = outcomeOf({ ...row, ended_at: endedAt });
    if (row.state === 'destroyed') return outcome;
    const { durationMs } = outcome;
    // A session that failed to start was never usable, so it costs nothing.
    const isBilled = row.opened_at && reason !== 'failed';
    const credits = isBilled ? priceOfSession({ durationMs, prompted: row.prompted }) : 0;
    await query
      .updateTable('browser_sessions')
      .set({
        state: 'destroyed',
        end_reason: reason,
        ended_at: endedAt,
        host: null,
        // A scrape whose session never opened can be continued by another one.
        ...(FAILED_STARTS.includes(reason) && !row.opened_at && { scrape_id: null }),
      })
      .where('id', '=', id)
      .execute();
    await completeSessionJob(query, { jobId: id, credits });
    return { durationMs, credits };
  });
}

/** Seconds beyond its lifetime after which a session has lost its workflow. */
const OVERDUE_SECONDS = 180;
/**
 * Seconds after which a session without a browser has lost its workflow. A scrape may be replayed for five
 * minutes.
 */
const STARTING_SECONDS = 420;

/** Finds sessions whose workflow should have ended them by now. */
export async function listAbandonedSessions(db: Database): Promise<string[]> {
  const rows = await db.query
    .selectFrom('browser_sessions')
    .select('id')
    .where('state', '<>', 'destroyed')
    .where(
      sql<boolean>`(expires_at < now() - make_interval(secs => ${OVERDUE_SECONDS})
        or state = 'creating' and created_at < now() - make_interval(secs => ${STARTING_SECONDS}))`,
    )
    .execute();
  return rows.map(({ id }) => id);
}
