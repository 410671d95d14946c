import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** Finds the name of the kind of a job of a team; undefined if the team has no such job, or its result has expired. */
export async function findOwnKind(
  { query }: Pick<Database, 'query'>,
  id: string,
  teamId: string,
): Promise<string | undefined> {
  const job = await query
    .selectFrom('jobs')
    .select('kind')
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where((where) =>
      where.or([where('status', '=', 'scraping'), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  return job?.kind;
}
