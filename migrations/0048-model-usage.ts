import { type Kysely, sql } from 'kysely';

/** The tokens of a team are summed by hour and by API key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index model_calls_team on model_calls (team_id, created_at)`.execute(db);
}
