import { sql } from 'kysely';
import type { Database } from './client.ts';
import { OPEN_PAGES } from './jobs/job-progress.ts';
import { listKnownMigrations, listMigrations } from './migrate.ts';

/** The work that the whole service has before it. It counts no rows of pages, of which there may be millions. */
export async function readServiceLoad(db: Database) {
  const [{ rows: counts }, applied, known] = await Promise.all([
    sql<{ pages: number; taken: number; waiting: number }>`
      select
        (select coalesce(sum(${OPEN_PAGES}), 0)::int from jobs join job_progress on job_id = id
          where status = 'scraping') as pages,
        (select count(*)::int from slots where expires_at > now()) as taken,
        (select count(*)::int from slot_waits where expires_at > now()) as waiting`.execute(db.query),
    listMigrations(db.pool),
    listKnownMigrations(),
  ]);
  const { pages = 0, taken = 0, waiting = 0 } = counts[0] ?? {};
  const names = new Set(applied);
  const missing = known.filter((name) => !names.has(name)).length;
  return { pages, slots: { taken, waiting }, migrations: { applied: applied.length, missing } };
}
