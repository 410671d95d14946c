import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Database } from './client.ts';
import type { Query } from './pages.ts';

const KEPT_HOURS = 24;

/**
 * Does something once for a team and key, within 24 hours: who asks again with the same request gets the first answer.
 * What is done and that it was done are written in one transaction.
 * @param call.key absent: it is done each time
 * @throws ServiceError `IDEMPOTENCY_KEY_REUSED` where the key came with another request
 */
export async function once<Answer>(
  db: Database,
  call: { teamId: string; key: string | undefined; request: unknown },
  work: (query: Query) => Promise<Answer>,
): Promise<Answer> {
  const { teamId, key } = call;
  return db.query.transaction().execute(async (query) => {
    if (key === undefined) return work(query);
    const request = createHash('sha256').update(JSON.stringify(call.request)).digest();
    const mine = { team_id: teamId, key };
    await query
      .deleteFrom('idempotency_keys')
      .where('team_id', '=', teamId)
      .where('key', '=', key)
      .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${KEPT_HOURS})`)
      .execute();
    // Waits for whoever has the same key in hand.
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('idempotency_keys')
      .values({ ...mine, request, answer: 'null' })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) {
      const first = await query
        .selectFrom('idempotency_keys')
        .select(['request', 'answer'])
        .where('team_id', '=', teamId)
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      if (first.request.equals(request)) return first.answer as Answer; // Stored below.
      throw new ServiceError(
        'IDEMPOTENCY_KEY_REUSED',
        `Idempotency key already used: ${key} came with another request before. Use a new key for a new request.`,
      );
    }
    const answer = await work(query);
    await query
      .updateTable('idempotency_keys')
      .set({ answer: JSON.stringify(answer) })
      .where('team_id', '=', teamId)
      .where('key', '=', key)
      .execute();
    return answer;
  });
}

/** Forgets keys that are too old to count. */
export async function forgetKeys(db: Database): Promise<void> {
  await db.query
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${KEPT_HOURS})`)
    .execute();
}
