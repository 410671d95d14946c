import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { MonitorPageStatus } from '../../../schemas/monitor.ts';
import type { MonitorSummary } from '../../../schemas/monitor-results.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import type { StoredError, Tables } from '../tables.ts';
import { lockRunningCheck } from './checks.ts';
import { addPageEvents } from './page-events.ts';

/** A page of a check as it is stored. */
export type StoredCheckPage = Selectable<Tables['monitor_pages']>;

/** A page of a check that is not stored yet. */
export interface NewCheckPage {
  id: string;
  targetId: string;
  url: string;
  status: MonitorPageStatus;
  previousScrapeId: string | null;
  currentScrapeId: string | null;
  statusCode: number | null;
  error: string | null;
  metadata: Record<string, unknown> | null;
  blob: string | null;
  /** See the columns of the table. */
  failures: number;
  isFailureTold: boolean;
  /** Whether an event tells what was found; where a judgment is due, only afterwards. */
  isTold: boolean;
  isJudgmentDue: boolean;
  version: string | null;
  dataValues: Record<string, string | number | boolean> | null;
  screenshot: string | null;
}

/** A page of which no document is stored. */
export const pageWithoutDocument = (
  id: string,
  page: Pick<NewCheckPage, 'targetId' | 'url' | 'status'> & Partial<NewCheckPage>,
): NewCheckPage => ({
  previousScrapeId: null,
  currentScrapeId: null,
  statusCode: null,
  error: null,
  metadata: null,
  blob: null,
  failures: 0,
  isFailureTold: false,
  isTold: true,
  isJudgmentDue: false,
  version: null,
  dataValues: null,
  screenshot: null,
  ...page,
  id,
});

/** The key of the history of a URL of a target. */
export const urlKeyOf = (targetId: string, url: string) =>
  createHash('sha256')
    .update(JSON.stringify([targetId, url]))
    .digest();

/**
 * Adds pages to a running check, with an event for each that is told if the webhook wants it. Pages that an earlier attempt
 * has added stay as they are.
 */
export async function addCheckPages(
  query: Queryable,
  { checkId, monitorId }: { checkId: string; monitorId: string },
  pages: readonly NewCheckPage[],
): Promise<void> {
  if (pages.length === 0) return;
  if (!(await lockRunningCheck(query, checkId))) return;
  const { last } = await query
    .selectFrom('monitor_pages')
    .select(({ fn }) => fn.coalesce(fn.max('ordinal'), sql<number>`0`).as('last'))
    .where('check_id', '=', checkId)
    .executeTakeFirstOrThrow();
  const fresh = new Set(pages.filter(({ status }) => status === 'new').map(({ targetId }) => targetId));
  const known = await findKnownTargets({ query }, { checkId, monitorId }, [...fresh]);
  const added = await query
    .insertInto('monitor_pages')
    .values(
      pages.map((page, index) => ({
        id: page.id,
        check_id: checkId,
        monitor_id: monitorId,
        ordinal: last + 1 + index,
        target_id: page.targetId,
        url: page.url,
        url_key: urlKeyOf(page.targetId, page.url),
        status: page.status,
        previous_scrape_id: page.previousScrapeId,
        current_scrape_id: page.currentScrapeId,
        status_code: page.statusCode,
        error: page.error,
        metadata: page.metadata && JSON.stringify(page.metadata),
        blob: page.blob,
        failures: page.failures,
        is_failure_told: page.isFailureTold,
        is_judgment_due: page.isJudgmentDue,
        is_news: isNews(page, known),
        version: page.version,
        data_values: page.dataValues && JSON.stringify(page.dataValues),
        screenshot: page.screenshot,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning(['id', 'ordinal'])
    .execute();
  const told = new Set(
    pages.filter(({ isTold, isJudgmentDue }) => isTold && !isJudgmentDue).map(({ id }) => id),
  );
  const ordinals = added.filter(({ id }) => told.has(id)).map(({ ordinal }) => ordinal);
  await addPageEvents(query, checkId, ordinals);
}

/**
 * Whether mails and the feed tell of a page. They do not of pages that the first check of a target finds, which are
 * what later ones are compared with.
 */
const isNews = (page: NewCheckPage, known: ReadonlySet<string>) =>
  page.isTold &&
  (page.status === 'new' ? known.has(page.targetId) : page.status !== 'same' || page.isFailureTold);

/** Finds which targets had pages in earlier checks. */
export async function findKnownTargets(
  { query }: Pick<Database, 'query'>,
  { checkId, monitorId }: { checkId: string; monitorId: string },
  targetIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${arrayParameter([...targetIds], 'text')}) as target (id)
    where exists (select from monitor_pages as page
      where page.monitor_id = ${monitorId} and page.target_id = target.id and page.check_id <> ${checkId})`.execute(
    query,
  );
  return new Set(rows.map(({ id }) => id));
}

/** What the last check before this one found of a page that it could read. */
export interface EarlierPage {
  status: MonitorPageStatus;
  scrapeId: string | null;
  /** Reference to the screenshot that this check is compared with. */
  screenshot: string | null;
}

/** Finds what earlier checks found of URLs of a target, by URL. */
export async function findEarlierPages(
  db: Database,
  { checkId, monitorId, targetId }: { checkId: string; monitorId: string; targetId: string },
  urls: readonly string[],
): Promise<Map<string, EarlierPage>> {
  const { rows } = await sql<EarlierPage & { url: string }>`
    select distinct on (url_key) url, status, current_scrape_id as "scrapeId", screenshot from monitor_pages
    where monitor_id = ${monitorId} and check_id <> ${checkId} and status <> 'error'
      and url_key = any(${arrayParameter(
        urls.map((url) => urlKeyOf(targetId, url)),
        'bytea',
      )})
    order by url_key, created_at desc`.execute(db.query);
  return new Map(rows.map(({ url, ...page }) => [url, page]));
}

/** Finds which pages have been added to their check, by id, and what was found of them. */
export async function findCollectedPages(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, MonitorPageStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query
    .selectFrom('monitor_pages')
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** A page that the check before this one could not read. */
export interface EarlierFailure {
  /** Checks in a row that could not read it. */
  failures: number;
  isTold: boolean;
}

/** Finds which URLs of a target the check before this one could not read. Checks without pages do not count. */
export async function findEarlierFailures(
  db: Database,
  { checkId, monitorId, targetId }: { checkId: string; monitorId: string; targetId: string },
  urls: readonly string[],
): Promise<Map<string, EarlierFailure>> {
  const { rows } = await sql<EarlierFailure & { url: string }>`
    select url, failures, is_failure_told as "isTold" from monitor_pages
    where monitor_id = ${monitorId} and status = 'error' and check_id = (
        select id from monitor_checks as earlier
        where monitor_id = ${monitorId} and id <> ${checkId}
          and exists (select from monitor_pages as page where page.check_id = earlier.id)
        order by created_at desc, id desc limit 1)
      and url_key = any(${arrayParameter(
        urls.map((url) => urlKeyOf(targetId, url)),
        'bytea',
      )})
    order by ordinal`.execute(db.query);
  return new Map(rows.map(({ url, ...failure }) => [url, failure]));
}

/** Lists pages of a check in the order in which they were found. */
export async function listCheckPages(
  db: Database,
  {
    checkId,
    status,
    limit,
    skip,
  }: { checkId: string; status?: MonitorPageStatus | undefined; limit: number; skip: number },
): Promise<StoredCheckPage[]> {
  let query = db.query.selectFrom('monitor_pages').selectAll().where('check_id', '=', checkId);
  if (status) query = query.where('status', '=', status);
  return query.orderBy('ordinal').limit(limit).offset(skip).execute();
}

/** Counts the pages of a check by outcome. */
export async function summarizePages(db: Pick<Database, 'query'>, checkId: string): Promise<MonitorSummary> {
  const { rows } = await sql<MonitorSummary>`
    select count(*)::int as "totalPages", ${sql.join(
      (['same', 'changed', 'new', 'removed', 'error'] as const).map(
        (status) => sql`count(*) filter (where status = ${status})::int as ${sql.ref(status)}`,
      ),
    )}
    from monitor_pages where check_id = ${checkId}`.execute(db.query);
  return rows[0]!;
}

/** A page of a batch or crawl that has ended. */
export interface EndedPage {
  id: string;
  ordinal: number;
  url: string;
  /** Key of its document; null if it failed. */
  blob: string | null;
  error: StoredError | null;
}

/** Lists the pages of a batch or crawl that were scraped or have failed, by ordinal. */
export async function listEndedPages(
  db: Database,
  { jobId, after, limit }: { jobId: string; after: number; limit: number },
): Promise<EndedPage[]> {
  return db.query
    .selectFrom('pages')
    .select(['id', 'ordinal', 'url', 'blob', 'error'])
    .where('job_id', '=', jobId)
    .where('status', 'in', ['completed', 'failed'])
    .where('ordinal', '>', after)
    .orderBy('ordinal')
    .limit(limit)
    .execute();
}

/** Returns when the oldest page of a check that may have a blob was stored; `undefined` if there is none. */
export async function findOldestPageDate(db: Database): Promise<Date | undefined> {
  const row = await db.query
    .selectFrom('monitor_checks')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .executeTakeFirst();
  return row?.at ?? undefined;
}
