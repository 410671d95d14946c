import { type Kysely, sql } from 'kysely';

/** Browser profiles: encrypted state by name, and who may save it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table profiles (
      team_id uuid not null references teams on delete cascade,
      name text not null,
      -- encrypted; null until it is saved for the first time
      state bytea,
      created_at timestamptz not null default now(),
      saved_at timestamptz,
      used_at timestamptz not null default now(),
      -- the lease of the one who saves: the job, this very hold of it, and its end without renewal
      holder text,
      token uuid,
      held_until timestamptz,
      primary key (team_id, name)
    )`.execute(db);
  // Encrypted bytes do not get smaller.
  await sql`alter table profiles alter column state set storage external`.execute(db);
  await sql`create index profiles_use on profiles (used_at)`.execute(db);
}
