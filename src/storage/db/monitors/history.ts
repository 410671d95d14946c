import { sql } from 'kysely';
import { arrayParameter, type Database } from '../client.ts';
import { type StoredCheckPage, urlKeyOf } from './pages.ts';

/** Pages of the last checks of a monitor that a goal decides about. */
export interface ChangesQuery {
  monitorId: string;
  /** The last checks that are looked at. */
  checks: number;
  /** The targets whose results are judged when they are new: those that search. */
  searchTargets: readonly string[];
  /** The targets whose pages are judged when they are new, but not those that their first check found: sites. */
  siteTargets: readonly string[];
  limit: number;
}

/** Lists the changes of the last checks that have ended, newest first, with the number of all. */
export async function listRecentChanges(
  { query }: Pick<Database, 'query'>,
  { monitorId, checks, searchTargets, siteTargets, limit }: ChangesQuery,
): Promise<{ ids: string[]; total: number }> {
  const { rows } = await sql<{ id: string; total: number }>`
    with checked as (
      select id from monitor_checks
      where monitor_id = ${monitorId} and status in ('completed', 'partial', 'failed')
      order by created_at desc, id desc limit ${checks}
    )
    select id, (count(*) over ())::int as total from monitor_pages
    where check_id in (select id from checked) and (
      (status = 'changed' and blob is not null)
      or (status = 'new' and target_id = any(${arrayParameter([...searchTargets], 'text')}))
      or (status = 'new' and is_news and target_id = any(${arrayParameter([...siteTargets], 'text')})))
    order by created_at desc, ordinal desc limit ${limit}`.execute(query);
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

/** Lists pages of checks by their ids, newest first. Those that have expired meanwhile are missing. */
export async function listPagesByIds(db: Database, ids: readonly string[]): Promise<StoredCheckPage[]> {
  if (ids.length === 0) return [];
  return db.query
    .selectFrom('monitor_pages')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('created_at', 'desc')
    .orderBy('ordinal', 'desc')
    .execute();
}

/** A page of a monitor, whose history several targets may have. */
export interface WatchedPage {
  monitorId: string;
  urls: readonly string[];
  targetIds: readonly string[];
}

/** Which part of a history is listed. */
interface HistoryPart {
  limit: number;
  onlyChanges?: boolean;
  /** Only these checks. */
  checkIds?: readonly string[];
}

/** Lists what checks have found of a page, newest first. */
export async function listHistory(
  { query }: Pick<Database, 'query'>,
  page: WatchedPage,
  { limit, onlyChanges = false, checkIds }: HistoryPart,
): Promise<StoredCheckPage[]> {
  let pages = query
    .selectFrom('monitor_pages')
    .selectAll()
    .where('monitor_id', '=', page.monitorId)
    .where(isPage(page));
  if (checkIds) pages = pages.where('check_id', 'in', checkIds);
  if (onlyChanges) pages = pages.where('status', 'in', ['new', 'changed', 'removed']);
  return pages.orderBy('created_at', 'desc').orderBy('ordinal', 'desc').limit(limit).execute();
}

const isPage = ({ urls, targetIds }: WatchedPage) => {
  const keys = targetIds.flatMap((targetId) => urls.map((url) => urlKeyOf(targetId, url)));
  return sql<boolean>`url_key = any(${arrayParameter(keys, 'bytea')})`;
};

/** A value of the data of a page at a check. */
export interface SeriesPoint {
  field: string;
  value: string | number | boolean;
  checkId: string;
  checkedAt: Date;
}

/** Lists the values of the data of a page at its newest checks, by field and oldest first. */
export async function listSeries(
  db: Pick<Database, 'query'>,
  page: WatchedPage,
  { field, limit }: { field?: string | undefined; limit: number },
): Promise<SeriesPoint[]> {
  const { rows } = await sql<SeriesPoint>`
    with checked as (
      select check_id, ordinal, created_at, data_values from monitor_pages
      where monitor_id = ${page.monitorId} and ${isPage(page)} and data_values is not null
        ${field === undefined ? sql`` : sql`and data_values ? ${field}`}
      order by created_at desc, ordinal desc limit ${limit}
    )
    select field, value, check_id as "checkId", created_at as "checkedAt"
    from checked, jsonb_each(data_values) as entry (field, value)
    ${field === undefined ? sql`` : sql`where field = ${field}`}
    order by field, created_at, ordinal`.execute(db.query);
  return rows;
}
