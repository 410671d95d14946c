import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Database } from './client.ts';

/** Seconds without a report after which a worker no longer counts as running. */
const REPORT_EXPIRY_SECONDS = 12;
/** Seconds after its last report until the row of a worker that was killed is deleted. */
const DELETED_AFTER_SECONDS = 60;

/** A worker process. */
export interface ReportingWorker {
  id: string;
  /** The roles whose queues it polls. */
  roles: readonly string[];
}

/** Records that a worker is polling its queues. */
export async function reportWorker(db: Database, { id, roles }: ReportingWorker): Promise<void> {
  await sql`
    with deleted as (
      delete from workers where seen_at < now() - make_interval(secs => ${DELETED_AFTER_SECONDS}) and id <> ${id}
    )
    insert into workers (id, roles) values (${id}, ${roles}::text[])
    on conflict (id) do update set seen_at = now()`.execute(db.query);
}

/** Records that a worker has stopped polling. */
export async function removeWorker(db: Database, id: string): Promise<void> {
  await db.query.deleteFrom('workers').where('id', '=', id).execute();
}

/**
 * Makes sure that the queue of every role is polled. Reports from before the last start of the database are
 * ignored: workers on the same machine stopped together with the database, and all others report again
 * within seconds.
 * @throws ServiceError `SERVICE_UNAVAILABLE` that names the roles whose queues no worker polls
 */
export async function requireWorkers(db: Database, roles: readonly string[]): Promise<void> {
  const { rows } = await sql<{ role: string }>`
    select role from unnest(${roles}::text[]) with ordinality as wanted (role, place)
    where not exists (
      select from workers
      where role = any (roles)
        and seen_at > greatest(now() - make_interval(secs => ${REPORT_EXPIRY_SECONDS}), pg_postmaster_start_time())
    )
    order by place`.execute(db.query);
  if (!rows.length) return;
  const idle = rows.map(({ role }) => role).join(', ');
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `No worker polls for the roles ${idle}. Their jobs wait until such a worker runs.`,
  );
}
