import { type Kysely, sql } from 'kysely';

/** What the receiver of an event said, so that a failed delivery can be understood. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_deliveries add column response_body text`.execute(db);
}
