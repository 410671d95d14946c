import { sql } from 'kysely';
import { FEEDBACK_DAILY_CAP, FEEDBACK_REFUND } from '../../credits.ts';
import type { Database, Queryable } from './client.ts';
import { findPage } from './pages/pages.ts';

/** Feedback that is not stored yet. */
export interface NewFeedback {
  teamId: string;
  jobId: string;
  /** The page of a batch or crawl that it is about; `null` if it is about the whole job. */
  pageId: string | null;
  endpoint: string;
  rating: string;
  /** The whole feedback. */
  content: unknown;
}

/** The outcome of feedback. */
export interface FeedbackReceipt {
  id: string;
  isRepeated: boolean;
  refunded: number;
  /** Whether the credits were not given back because of the daily cap. */
  isCapped: boolean;
  refundedToday: number;
}

/** The ordinal of the refund among the ledger entries of a job; those of its pages are not negative. */
const REFUND_ORDINAL = -1;

/** Finds the job that feedback is about; `undefined` if there is none, or it has expired. */
export async function findRatedJob(db: Database, id: string) {
  return db.query
    .selectFrom('jobs')
    .select(['team_id', 'kind', 'status', sql<boolean>`wrapped_key is not null`.as('isEncrypted')])
    .select([sql<boolean>`request -> 'upload' is not null`.as('isParse')])
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/**
 * Finds the page of a batch or crawl that feedback is about; `undefined` if there is none, or it has expired.
 */
export async function findRatedPage(db: Database, id: string) {
  const page = await findPage(db, id);
  if (!page) return undefined;
  const status = page.open ? ('scraping' as const) : ('completed' as const);
  return { jobId: page.job_id, team_id: page.team_id, status, isEncrypted: page.wrappedKey !== null };
}

/**
 * Stores feedback on a job once, and gives back credits for the first one on a search that was billed. The
 * team's row is locked, so that neither two requests at once nor many searches get more back than they may.
 */
export async function addFeedback(db: Database, feedback: NewFeedback): Promise<FeedbackReceipt> {
  const { teamId, jobId, pageId, endpoint, rating, content } = feedback;
  return db.query.transaction().execute(async (query) => {
    await query.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().execute();
    const refundedToday = await sumRefundsOfToday(query, teamId);
    const known = await query
      .selectFrom('feedback')
      .select('id')
      .where(sql<boolean>`coalesce(page_id, job_id) = ${pageId ?? jobId}`)
      .executeTakeFirst();
    if (known) return { id: known.id, isRepeated: true, refunded: 0, isCapped: false, refundedToday };
    const isBilled = endpoint === 'search' && (await isBilledJob(query, jobId));
    const isCapped = isBilled && refundedToday + FEEDBACK_REFUND > FEEDBACK_DAILY_CAP;
    const refunded = isBilled && !isCapped ? FEEDBACK_REFUND : 0;
    const { id } = await query
      .insertInto('feedback')
      .values({
        team_id: teamId,
        job_id: jobId,
        page_id: pageId,
        endpoint,
        rating,
        credits_refunded: refunded,
        content: JSON.stringify(content),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (refunded) await refund(query, jobId, refunded);
    return { id, isRepeated: false, refunded, isCapped, refundedToday: refundedToday + refunded };
  });
}

async function sumRefundsOfToday(query: Queryable, teamId: string): Promise<number> {
  // The ledger outlives the feedback, which is deleted with its job.
  const row = await query
    .selectFrom('credit_entries')
    .select(({ fn }) => fn.sum<number>('credits').as('sum'))
    .where('team_id', '=', teamId)
    .where('ordinal', '=', REFUND_ORDINAL)
    .where('created_at', '>=', sql<Date>`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`)
    .executeTakeFirst();
  return -Number(row?.sum ?? 0);
}

async function isBilledJob(query: Queryable, jobId: string): Promise<boolean> {
  const entry = await query
    .selectFrom('credit_entries')
    .select('credits')
    .where('job_id', '=', jobId)
    .where('ordinal', '=', 0)
    .executeTakeFirst();
  return (entry?.credits ?? 0) >= FEEDBACK_REFUND;
}

/** Writes a ledger entry with negative credits for the key of the job, and gives the credits to the team. */
async function refund(query: Queryable, jobId: string, credits: number): Promise<void> {
  await sql`
    with entry as (
      insert into credit_entries (job_id, ordinal, team_id, api_key_id, credits)
      select id, ${REFUND_ORDINAL}, team_id, api_key_id, ${-credits} from jobs where id = ${jobId}
      returning team_id
    )
    update teams set credits_remaining = credits_remaining + ${credits} from entry
    where teams.id = entry.team_id and credits_remaining is not null`.execute(query);
}
