import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** Query for the pages that a team fetched from some hosts. */
export interface FetchedPagesQuery {
  teamId: string;
  hosts: readonly string[];
  limit: number;
}

/** Maximum number of the team's jobs that are searched, newest first. */
const MAX_JOBS = 20;

/**
 * Lists the URLs on some hosts that the team fetched before, in batches, crawls and scrapes whose results
 * still exist. The page cache is not searched, because it does not know the URLs of its copies.
 */
export async function listFetchedUrls(db: Database, query: FetchedPagesQuery): Promise<string[]> {
  const { teamId, limit } = query;
  const hosts = [...query.hosts];
  const { rows } = await sql<{ url: string }>`
    with recent as (
      select id, kind, target from jobs
      where team_id = ${teamId} and kind in ('crawl', 'batch_scrape', 'scrape') and status <> 'failed'
        and expires_at > now()
      order by created_at desc limit ${MAX_JOBS}
    ), own as (
      select target as url from recent
      where kind = 'scrape' and substring(target from '^https?://([^/?#]+)') = any(${hosts}::text[])
      union
      select url from recent join pages on pages.job_id = recent.id
      where pages.status = 'completed' and host = any(${hosts}::text[])
    )
    select url from own limit ${limit}`.execute(db.query);
  return rows.map(({ url }) => url);
}
