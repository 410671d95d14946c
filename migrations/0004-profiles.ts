import { type Kysely, sql } from 'kysely';

/** Browser profiles: encrypted state by name, and the lease for saving it. */
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
      -- the lease for saving: its job, a token for this lease, and its end unless renewed
      holder text,
      token uuid,
      held_until timestamptz,
      primary key (team_id, name)
    )`.execute(db);
  // Postgres need not try to compress it, because encrypted bytes do not compress.
  await sql`alter table profiles alter column state set storage external`.execute(db);
  await sql`create index profiles_use on profiles (used_at)`.execute(db);
}
