import { sql } from 'kysely';
import type { Database } from './client.ts';

/** Which pages are asked for: a team's own, of these hosts, at most so many. */
export interface KnownPagesQuestion {
  teamId: string;
  hosts: readonly string[];
  limit: number;
}

/** The team's own jobs that are looked through, newest first. */
const MOST_JOBS = 20;

/**
 * Addresses of hosts that the team fetched before, by batches, crawls and scrapes whose results are still there. The
 * cache, which is everybody's, is not asked: addresses may hold what is not for everybody.
 */
export async function listKnownPages(db: Database, question: KnownPagesQuestion): Promise<string[]> {
  const { teamId, limit } = question;
  const hosts = [...question.hosts];
  const { rows } = await sql<{ url: string }>`
    with recent as (
      select id, kind, target from jobs
      where team_id = ${teamId} and kind in ('crawl', 'batch_scrape', 'scrape') and status <> 'failed'
        and expires_at > now()
      order by created_at desc limit ${MOST_JOBS}
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
