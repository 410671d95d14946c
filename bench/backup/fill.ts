import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { traceOf } from '../capacity/made-results.ts';

/** Pages whose documents, and whose copies, share a file, as those of a crawl do. */
const PAGES_PER_FILE = 20;
/** Compressed sizes in bytes of what a page of 77 KB leaves; made ones are random, so they stay as large. */
const DOCUMENT_BYTES = 5_000;
const COPY_BYTES = 15_000;
const FILES_AT_ONCE = 8;

/**
 * Stores a crawl that has ended, with the rows and files of its pages.
 * @param blobs location of the blob store
 */
export async function storeCrawl(db: Database, blobs: string, pages: number): Promise<void> {
  const [results, cache] = [await openBlobs(blobs, 'results'), await openBlobs(blobs, 'cache')];
  const { rows } = await sql<{ team: string; job: string }>`
    with team as (insert into teams (name) values (${`crawl of ${pages}`}) returning id), job as (
      insert into jobs (id, team_id, kind, target, request, status, credits, finished_at, expires_at)
      select gen_random_uuid(), id, 'crawl', 'https://large.example/', '{}', 'completed', ${pages}, now(),
        now() + interval '1 day' from team
      returning id, team_id
    ), progress as (
      insert into job_progress (job_id, team_id, page_limit, known, admitted, completed, credits)
      select id, team_id, ${pages}, ${pages}, ${pages}, ${pages}, ${pages} from job
    ) select id as job, team_id as team from job`.execute(db.query);
  const { team = '', job = '' } = rows[0] ?? {};
  const store = async (first: number) => {
    const count = Math.min(PAGES_PER_FILE, pages - first);
    const make = (bytes: number) => Array.from({ length: count }, () => randomBytes(bytes));
    const documents = await results.putAll(make(DOCUMENT_BYTES));
    const copies = await cache.putAll(make(COPY_BYTES));
    await storeRows(db, { team, job, first, documents, copies });
  };
  const files = Array.from({ length: Math.ceil(pages / PAGES_PER_FILE) }, (_, file) => file * PAGES_PER_FILE);
  for (let done = 0; done < files.length; done += FILES_AT_ONCE)
    await Promise.all(files.slice(done, done + FILES_AT_ONCE).map(store));
}

async function storeRows(
  db: Database,
  rows: { team: string; job: string; first: number; documents: string[]; copies: string[] },
): Promise<void> {
  const { team, job, first, documents, copies } = rows;
  await sql`
    with page as (
      insert into pages (job_id, ordinal, team_id, url, url_key, host, status, admitted, attempts, position, blob,
        bytes_end, trace, finished_at)
      select ${job}, n, ${team}, 'https://large.example/articles/' || n || '/a-page-with-a-usual-address',
        decode(md5(${job} || n), 'hex'), 'large.example', 'completed', true, 1, n + 1, blob,
        (n + 1) * ${DOCUMENT_BYTES}::bigint, ${JSON.stringify(traceOf(1))}::jsonb, now()
      from (select ${first} + row - 1 as n, blob from unnest(${documents}::text[]) with ordinality as d (blob, row)) as made
    ), entry as (
      insert into credit_entries (job_id, ordinal, team_id, credits)
      select ${job}, ${first} + n, ${team}, 1 from generate_series(0, ${documents.length - 1}::int) as n
    )
    insert into cache_entries (key, team_id, blob, fetched_at, files)
    select decode(md5(blob), 'hex'), ${team}, blob, now(), '{}' from unnest(${copies}::text[]) as blob`.execute(
    db.query,
  );
}
