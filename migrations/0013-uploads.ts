import { type Kysely, sql } from 'kysely';

/** Uploaded files that are to be parsed. Their names are in the requests of their jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table uploads (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      -- the job that parses the file; null until there is one
      job_id uuid references jobs on delete cascade,
      -- the key of the blob with the encrypted file
      blob text not null,
      -- the key that the file is encrypted with, itself encrypted
      key bytea not null,
      -- size of the unencrypted file in bytes
      size integer not null,
      created_at timestamptz not null default now(),
      -- the end of the time in which a job has to be requested
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index uploads_job on uploads (job_id)`.execute(db);
}
