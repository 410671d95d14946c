import { type Kysely, sql } from 'kysely';

/** How far conversions are that continue after the timeout of their requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table long_conversions
      -- whether the parser has begun; it waits for a place in the sandbox before
      add column is_running boolean not null default false,
      add column pages integer,
      add column remaining_seconds integer,
      -- the conversion is ended then
      add column ends_at timestamptz not null default now() + interval '20 minutes'`.execute(db);
}
