import { type RawBuilder, sql } from 'kysely';
import { EMPTY_SUMMARY } from '../../schemas/monitor-results.ts';
import type { Database } from './client.ts';

/** An event that is due to be sent. */
export interface DueEvent {
  /** The `webhookId` of the event. */
  id: string;
  sequence: number;
  type: string;
  attempts: number;
  /** Why the job or its page failed. */
  error: string | null;
  /** The page that the event is about. A failed page has no `blob`. */
  pageId: string | null;
  url: string | null;
  blob: string | null;
  /** The call of an agent that the event is about. */
  action: { tool: string; input: Record<string, unknown> } | null;
  /** Credits of an agent or extract until the event; `null` for other jobs. */
  credits: number | null;
  /** Key of the blob with the result of an agent or extract that has completed. */
  resultBlob: string | null;
  /** What the event tells of a check of a monitor, or of its page. */
  check: CheckNews | null;
}

/** A check of a monitor that has ended, or a page of one. */
interface CheckNews {
  /** The data of the event, without the diff of a page. */
  data: Record<string, unknown> & { status: string };
  /** Key of the blob with the diff of a page. */
  blob: string | null;
}

/** Query for due events. */
export interface DueEventsQuery {
  jobId: string;
  /** Events that were never sent are listed only if their sequence number is greater than this one. */
  after: number;
  /** Maximum number of events that were never sent. */
  maxNew: number;
  /** Maximum number of events to be sent again. */
  maxRetries: number;
  /** Ids of events that are being sent. */
  excludedIds: string[];
}

/**
 * Lists due events: the first ones that were never sent, and of those to be sent again the ones that have
 * been due for longest. The result is sorted by sequence number.
 */
export function listDueEvents(db: Database, query: DueEventsQuery): Promise<DueEvent[]> {
  return readEvents(
    db,
    sql`
      (select * from webhook_deliveries
        where job_id = ${query.jobId} and status = 'pending' and attempts = 0 and sequence > ${query.after}
        order by sequence limit ${query.maxNew})
      union all
      (select * from webhook_deliveries
        where job_id = ${query.jobId} and status = 'pending' and attempts > 0 and due_at <= now()
          and id <> all(${query.excludedIds}::uuid[])
        order by due_at limit ${query.maxRetries})`,
  );
}

/** Reads one event, whatever became of it; `undefined` if there is none. */
export async function findEvent(db: Database, id: string): Promise<DueEvent | undefined> {
  return (await readEvents(db, sql`select * from webhook_deliveries where id = ${id}`))[0];
}

/** Reads what events tell. @param deliveries a statement that selects their rows */
async function readEvents(db: Database, deliveries: RawBuilder<unknown>): Promise<DueEvent[]> {
  const { rows } = await sql<DueEvent>`
    with due as (${deliveries})
    select due.id, due.sequence, type, due.attempts, due.error, pages.id as "pageId", pages.url, pages.blob,
      case when step.tool is not null then json_build_object('tool', step.tool, 'input', step.input) end as action,
      case when jobs.kind in ('agent', 'extract') then case when step.tool is null then jobs.credits else (
        select sum(credits)::int from agent_steps
        where agent_steps.job_id = due.job_id and agent_steps.sequence <= step.sequence) end end as credits,
      results.blob as "resultBlob",
      case when check_page.id is not null then json_build_object('blob', check_page.blob, 'data', json_build_object(
          'monitorId', check_page.monitor_id, 'checkId', check_page.check_id, 'targetId', check_page.target_id,
          'url', check_page.url, 'status', check_page.status, 'previousScrapeId', check_page.previous_scrape_id,
          'currentScrapeId', check_page.current_scrape_id, 'error', check_page.error,
          'failures', check_page.failures,
          'isRecovered', check_page.is_failure_told and check_page.status <> 'error',
          'isMeaningful', check_page.judgment -> 'meaningful', 'judgment', check_page.judgment))
        when type = 'monitor.check.completed' then json_build_object('blob', null, 'data', json_build_object(
          'monitorId', ended.monitor_id, 'checkId', ended.id, 'status', ended.status,
          'summary', coalesce(ended.summary, ${JSON.stringify(EMPTY_SUMMARY)}::jsonb), 'error', ended.error,
          'warning', ended.warning))
        end as "check"
    from due
    join jobs on jobs.id = due.job_id
    left join pages on pages.job_id = due.job_id and pages.ordinal = due.ordinal
    left join agent_steps as step on step.job_id = due.job_id and step.sequence = due.ordinal
    left join results on results.job_id = due.job_id and results.ordinal = 0
      and type in ('agent.completed', 'extract.completed')
    left join monitor_pages as check_page
      on type = 'monitor.page' and check_page.check_id = due.job_id and check_page.ordinal = due.ordinal
    left join monitor_checks as ended on type = 'monitor.check.completed' and ended.id = due.job_id
    order by due.sequence`.execute(db.query);
  return rows;
}
