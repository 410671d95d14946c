import { sql } from 'kysely';
import type { Database } from './client.ts';

/** What an operator wants to know of the database: its size and version, and the work that is in it. */
export async function readOperatorHealth(db: Database) {
  const [openJobs, deliveries, server] = await Promise.all([
    sql<{ kind: string; count: number; oldest: Date }>`
      select kind, count(*)::int as count, min(created_at) as oldest from jobs
      where status = 'scraping' group by kind order by kind`.execute(db.query),
    sql<{ pending: number; failed: number }>`
      select
        (select count(*)::int from webhook_deliveries where status = 'pending') as pending,
        (select count(*)::int from webhook_deliveries
          where status = 'failed' and created_at > now() - interval '1 day') as failed`.execute(db.query),
    sql<{ version: string; bytes: string }>`
      select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`.execute(
      db.query,
    ),
  ]);
  const { version = '', bytes = '0' } = server.rows[0] ?? {};
  return {
    openJobs: openJobs.rows,
    deliveries: deliveries.rows[0] ?? { pending: 0, failed: 0 },
    version,
    bytes: Number(bytes),
  };
}
