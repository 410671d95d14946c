import { type Kysely, sql } from 'kysely';

/** Which pages of checks are news, who gets mails of them, and the mails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table monitor_pages add column is_news boolean not null default false`.execute(db);
  await sql`create index monitor_pages_news on monitor_pages (monitor_id, created_at desc) where is_news`.execute(
    db,
  );
  await sql`
    create table monitor_subscriptions (
      monitor_id uuid not null references monitors on delete cascade,
      team_id uuid not null references teams on delete cascade,
      email text not null,
      status text not null,
      asked_at timestamptz,
      primary key (monitor_id, email)
    )`.execute(db);
  await sql`create index monitor_subscriptions_of_team on monitor_subscriptions (team_id, email)`.execute(db);
  await sql`
    create table monitor_mails (
      id uuid primary key default gen_random_uuid(),
      monitor_id uuid not null references monitors on delete cascade,
      team_id uuid not null references teams on delete cascade,
      kind text not null,
      recipient text not null,
      status text not null default 'pending',
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      last_attempt_at timestamptz,
      last_error text,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index monitor_mails_due on monitor_mails (due_at) where status = 'pending'`.execute(db);
  await sql`create index monitor_mails_of_monitor on monitor_mails (monitor_id)`.execute(db);
  await sql`create index monitor_mails_of_team on monitor_mails (team_id, last_attempt_at)`.execute(db);
  // A mail that is not due yet tells of several checks.
  await sql`
    create table monitor_mail_checks (
      mail_id uuid not null references monitor_mails on delete cascade,
      check_id uuid not null references monitor_checks on delete cascade,
      primary key (mail_id, check_id)
    )`.execute(db);
  await sql`create index monitor_mail_checks_of_check on monitor_mail_checks (check_id)`.execute(db);
}
