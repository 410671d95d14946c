import { type Selectable, sql } from 'kysely';
import type { Database } from '../client.ts';
import type { Tables } from '../tables.ts';

/** A page of a check that mails and the feed tell of. */
export type NewsPage = Pick<
  Selectable<Tables['monitor_pages']>,
  | 'id'
  | 'check_id'
  | 'url'
  | 'status'
  | 'error'
  | 'metadata'
  | 'blob'
  | 'is_failure_told'
  | 'judgment'
  | 'created_at'
>;

const COLUMNS = [
  'monitor_pages.id',
  'monitor_pages.check_id',
  'monitor_pages.url',
  'monitor_pages.status',
  'monitor_pages.error',
  'monitor_pages.metadata',
  'monitor_pages.blob',
  'monitor_pages.is_failure_told',
  'monitor_pages.judgment',
  'monitor_pages.created_at',
] as const;

/** Whether a row is told: not of a change that does not matter for the goal of its monitor. */
export const IS_NEWS = sql<boolean>`is_news and judgment -> 'meaningful' is distinct from 'false'::jsonb`;

/** Lists the news that a mail tells of, oldest first, with the number of all of them. */
export async function listNewsOfMail(
  db: Database,
  mailId: string,
  limit: number,
): Promise<{ pages: NewsPage[]; total: number }> {
  const rows = await db.query
    .selectFrom('monitor_mail_checks')
    .innerJoin('monitor_pages', 'monitor_pages.check_id', 'monitor_mail_checks.check_id')
    .select([...COLUMNS, sql<number>`count(*) over ()`.as('total')])
    .where('mail_id', '=', mailId)
    .where(IS_NEWS)
    .orderBy('created_at')
    .orderBy('ordinal')
    .limit(limit)
    .execute();
  return { pages: rows, total: rows[0]?.total ?? 0 };
}
/** Lists the news of a monitor, newest first. */
export async function listNews(db: Database, monitorId: string, limit: number): Promise<NewsPage[]> {
  return db.query
    .selectFrom('monitor_pages')
    .select(COLUMNS)
    .where('monitor_id', '=', monitorId)
    .where(IS_NEWS)
    .orderBy('created_at', 'desc')
    .orderBy('ordinal', 'desc')
    .limit(limit)
    .execute();
}
