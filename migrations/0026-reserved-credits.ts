import { type Kysely, sql } from 'kysely';

/**
 * The credits that a running call of an agent or extract may cost at most, so that runs of a team share what
 * it has left.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent_steps add column reserved integer not null default 0`.execute(db);
}
