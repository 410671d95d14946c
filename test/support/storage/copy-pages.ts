import { sql } from 'kysely';
import type { Database } from '../../../src/storage/db/client.ts';

/** Rows that are stored by one statement: one for all of them would take longer on a busy machine than a connection waits. */
const AT_ONCE = 5_000;

/**
 * Makes a job of one page that has ended as large as a large crawl, by copies of the row of that page.
 * @param size.pages its documents from then on
 * @param size.failed its failed pages, one half of which took too long
 */
export async function copyPages(
  db: Database,
  id: string,
  { pages, failed }: { pages: number; failed: number },
): Promise<void> {
  for (let from = 1; from < pages; from += AT_ONCE) {
    const to = Math.min(from + AT_ONCE, pages) - 1;
    await sql`
      insert into pages (job_id, ordinal, team_id, url, host, status, admitted, attempts, position, blob, bytes_end, finished_at)
      select job_id, ordinal + copy, team_id, url || 'hill?copy=' || copy, host, status, admitted, attempts, position + copy, blob,
        bytes_end * (copy + 1), finished_at + copy * interval '5 milliseconds'
      from pages, generate_series(${from}::int, ${to}::int) as copy where job_id = ${id} and ordinal = 0`.execute(
      db.query,
    );
  }
  await sql`
    insert into pages (job_id, ordinal, team_id, url, host, status, admitted, attempts, error, finished_at)
    select job_id, ${pages} + copy, team_id, url || 'failed/' || copy, host, 'failed', true, 1,
      jsonb_build_object('code', case when copy % 2 = 0 then 'SCRAPE_TIMEOUT' else 'SCRAPE_SITE_ERROR' end, 'message', 'It failed.'), finished_at
    from pages, generate_series(1, ${failed}::int) as copy where job_id = ${id} and ordinal = 0`.execute(
    db.query,
  );
  const known = pages + failed;
  await sql`
    update job_progress set known = ${known}, admitted = ${known}, completed = ${pages}, failed = ${failed}
    where job_id = ${id}`.execute(db.query);
}
