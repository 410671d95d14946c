import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Database, Queryable } from './client.ts';

const KEPT_HOURS = 24;

/**
 * Performs a request once per team and key within 24 hours. A repetition of the same request gets the first
 * result. The work and the record of it are written in one transaction.
 * @param call.key if `undefined`, the request is performed every time
 * @throws ServiceError `IDEMPOTENCY_KEY_REUSED` if the key was used for a different request
 */
export async function performOnce<Result>(
  db: Database,
  call: { teamId: string; key: string | undefined; request: unknown },
  work: (query: Queryable) => Promise<Result>,
): Promise<Result> {
  const { teamId, key } = call;
  return db.query.transaction().execute(async (query) => {
    if (key === undefined) return work(query);
    const request = createHash('sha256').update(JSON.stringify(call.request)).digest();
    await query
      .deleteFrom('idempotency_keys')
      .where('team_id', '=', teamId)
      .where('key', '=', key)
      .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${KEPT_HOURS})`)
      .execute();
    // The insert waits for any other transaction that is using the same key.
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('idempotency_keys')
      .values({ team_id: teamId, key, request, answer: 'null' })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) {
      const first = await query
        .selectFrom('idempotency_keys')
        .select(['request', 'answer'])
        .where('team_id', '=', teamId)
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      if (first.request.equals(request)) return first.answer as Result; // written below
      throw new ServiceError(
        'IDEMPOTENCY_KEY_REUSED',
        `Idempotency key already used: ${key} was sent with a different request before. Use a new key for each new request.`,
      );
    }
    const result = await work(query);
    await query
      .updateTable('idempotency_keys')
      .set({ answer: JSON.stringify(result) })
      .where('team_id', '=', teamId)
      .where('key', '=', key)
      .execute();
    return result;
  });
}

/**
 * Forgets a call whose result turned out to be of no use, so that a repetition performs it again.
 * @param call.key if `undefined`, nothing was recorded
 * @param call.result the result that is forgotten; that of a later call stays
 */
export async function forgetResult(
  db: Database,
  { teamId, key, result }: { teamId: string; key: string | undefined; result: unknown },
): Promise<void> {
  if (key === undefined) return;
  await db.query
    .deleteFrom('idempotency_keys')
    .where('team_id', '=', teamId)
    .where('key', '=', key)
    .where(sql<boolean>`answer = ${JSON.stringify(result)}::jsonb`)
    .execute();
}

/** Deletes keys that are older than 24 hours, which may be used again. */
export async function deleteOldIdempotencyKeys(db: Database): Promise<void> {
  await db.query
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${KEPT_HOURS})`)
    .execute();
}
