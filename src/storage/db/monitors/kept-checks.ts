import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** Days after which a kept check is looked at again. */
const KEPT_DAYS = 1;

/**
 * Keeps the expired checks that the next ones are compared with: without them, a monitor whose checks are further
 * apart than they are kept would find every page new, and never a change. Per target that is the last check that could
 * read a page of it, and per page that the last check could not read the check that could. Pages that left a site or
 * a search longer ago keep no check, because then nearly none would ever expire.
 *
 * Running checks do not count as later ones, because they may not have read all of their pages yet.
 * @param before only checks that had expired then
 */
export async function keepComparedChecks(db: Database, before: Date): Promise<void> {
  await sql`
    update jobs set expires_at = now() + make_interval(days => ${KEPT_DAYS})
    from monitor_checks as checked join monitors on monitors.id = checked.monitor_id
    where jobs.id = checked.id and jobs.kind = 'monitor' and jobs.expires_at < least(now(), ${before})
      and monitors.status <> 'deleted'
      and (exists (${lastOfTarget}) or exists (${lastOfFailedPage}))`.execute(db.query);
}

/** The targets of which no later check than `checked` could read a page. */
const lastOfTarget = sql`
  select from (
    select distinct target_id from monitor_pages where check_id = checked.id and status <> 'error'
  ) as target
  where monitors.targets @> jsonb_build_array(jsonb_build_object('id', target_id))
    and not exists (
      select from monitor_checks as later
      where later.monitor_id = checked.monitor_id and later.created_at > checked.created_at
        and later.finished_at is not null
        and exists (select from monitor_pages as page
          where page.check_id = later.id and page.target_id = target.target_id and page.status <> 'error'))`;

/** The pages that the last check could not read, and `checked` was the last that could. */
const lastOfFailedPage = sql`
  select from monitor_pages as failed
  where failed.status = 'error'
    and failed.check_id = (
      select id from monitor_checks as newest
      where newest.monitor_id = checked.monitor_id and newest.finished_at is not null
        and exists (select from monitor_pages as page where page.check_id = newest.id)
      order by created_at desc, id desc limit 1)
    and checked.id = (
      select known.check_id from monitor_pages as known
      where known.monitor_id = checked.monitor_id and known.url_key = failed.url_key and known.status <> 'error'
      order by known.created_at desc limit 1)`;
