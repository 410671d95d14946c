import { sql } from 'kysely';
import { type Database, patiently } from '../../src/storage/db/client.ts';
import { addTeam } from './loads/load.ts';
import { DOCUMENT_BYTES, traceOf } from './made-results.ts';

const PAGES_PER_JOB = 10_000;

/**
 * Stores pages of crawls that have ended, with their ledger entries and copies, as they would be after so many pages.
 * The index of pages is left as it is: `WINNOW_MAX_INDEXED_PAGES` bounds it.
 * @param count rounded up to whole crawls of 10,000 pages
 */
export async function storePagesAtRest(db: Database, count: number): Promise<void> {
  const { query } = patiently(db);
  const teamId = await addTeam(db, 'at rest');
  for (let done = 0; done < count; done += PAGES_PER_JOB) {
    await sql`
      with job as (
        insert into jobs (id, team_id, kind, target, request, status, credits, finished_at, expires_at)
        values (gen_random_uuid(), ${teamId}, 'crawl', 'https://rest.example/', '{}', 'completed', ${PAGES_PER_JOB},
          now(), now() + interval '1 day')
        returning id
      ), progress as (
        insert into job_progress (job_id, team_id, page_limit, known, admitted, completed, credits)
        select id, ${teamId}, ${PAGES_PER_JOB}, ${PAGES_PER_JOB}, ${PAGES_PER_JOB}, ${PAGES_PER_JOB}, ${PAGES_PER_JOB}
        from job
      ), page as (
        insert into pages (job_id, ordinal, team_id, url, url_key, host, status, admitted, attempts, position, blob,
          bytes_end, trace, finished_at)
        select job.id, n, ${teamId}, 'https://rest.example/articles/' || n || '/a-page-with-a-usual-address',
          decode(md5(job.id || ' ' || n), 'hex'), 'rest.example', 'completed', true, 1, n + 1,
          job.id || '.zst#' || n * ${DOCUMENT_BYTES} || '+' || ${DOCUMENT_BYTES}, n * ${DOCUMENT_BYTES}::bigint,
          ${JSON.stringify(traceOf(1))}::jsonb, now()
        from job, generate_series(0, ${PAGES_PER_JOB - 1}::int) as n
      ), entry as (
        insert into credit_entries (job_id, ordinal, team_id, credits)
        select job.id, n, ${teamId}, 1 from job, generate_series(0, ${PAGES_PER_JOB - 1}::int) as n
      ), file as (
        insert into cache_files (hash, bytes)
        select md5(job.id || ' file ' || n), 15000 from job, generate_series(0, ${PAGES_PER_JOB - 1}::int) as n
      )
      insert into cache_entries (key, team_id, blob, fetched_at, files)
      select decode(md5(job.id || ' copy ' || n), 'hex'), ${teamId}, md5(job.id || ' ' || n) || '.json', now(),
        array[md5(job.id || ' file ' || n)]
      from job, generate_series(0, ${PAGES_PER_JOB - 1}::int) as n`.execute(query);
  }
  for (const table of ['pages', 'jobs', 'job_progress', 'credit_entries', 'cache_files', 'cache_entries'])
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(query);
  await sql`checkpoint`.execute(query);
}
