import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Database } from './client.ts';

/** Seconds without a report after which a worker no longer counts as running. */
const REPORT_EXPIRY_SECONDS = 12;
/** Seconds after its last report until the row of a worker that was killed is deleted. */
const DELETED_AFTER_SECONDS = 60;

/**
 * The condition for workers that run. Reports from before the last start of the database are ignored: workers
 * on the same machine stopped together with the database, and all others report again within seconds.
 */
const HAS_REPORTED = sql<boolean>`
  seen_at > greatest(now() - make_interval(secs => ${REPORT_EXPIRY_SECONDS}), pg_postmaster_start_time())`;

/** A worker process that runs browser sessions. */
export interface SessionHostAddress {
  /** Its URL inside the cluster. */
  url: string;
  /** The task queue of this process alone. */
  queue: string;
}

/** A worker process. */
export interface ReportingWorker {
  id: string;
  /** The roles whose queues it polls. */
  roles: readonly string[];
  /** Where it is reached, if it runs browser sessions. */
  host?: SessionHostAddress | undefined;
  /** Whether it has memory for another browser session. */
  hasRoom: boolean;
  load?: WorkerLoad;
}

/** How busy a worker is. */
interface WorkerLoad {
  /** Activities that run. */
  tasks: number;
  /** Processor time of its process since the last report, as a number of cores. */
  cores: number;
  memoryBytes: number;
}

const NO_LOAD: WorkerLoad = { tasks: 0, cores: 0, memoryBytes: 0 };

/**
 * Records that a worker is polling its queues.
 * @returns the URLs of all hosts of browser sessions that are known
 */
export async function reportWorker(
  db: Database,
  { id, roles, host, hasRoom, load: { tasks, cores, memoryBytes } = NO_LOAD }: ReportingWorker,
): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    with deleted as (
      delete from workers where seen_at < now() - make_interval(secs => ${DELETED_AFTER_SECONDS}) and id <> ${id}
    ), reported as (
    insert into workers (id, roles, host_url, host_queue, has_room, tasks, cores, memory_bytes)
    values (${id}, ${roles}::text[], ${host?.url ?? null}, ${host?.queue ?? null}, ${hasRoom},
      ${tasks}, ${cores}, ${memoryBytes})
    on conflict (id) do update set seen_at = now(), has_room = excluded.has_room, tasks = excluded.tasks,
      cores = excluded.cores, memory_bytes = excluded.memory_bytes
    )
    select host_url as url from workers where host_url is not null`.execute(db.query);
  return rows.map(({ url }) => url);
}

/**
 * Chooses a running worker for a new browser session: one with memory for it if there is any, of those the
 * one with the fewest sessions, or any of those.
 * @param excludedQueues the queues of hosts that could not start the session
 * @returns `undefined` if no other worker runs sessions
 */
export async function chooseSessionHost(
  db: Database,
  excludedQueues: readonly string[] = [],
): Promise<SessionHostAddress | undefined> {
  const { rows } = await sql<SessionHostAddress>`
    select host_url as url, host_queue as queue from workers
    where host_url is not null and host_queue <> all (${excludedQueues}::text[]) and ${HAS_REPORTED}
    order by has_room desc, (
      select count(*) from browser_sessions where state <> 'destroyed' and browser_sessions.host = workers.host_url
    ), random()
    limit 1`.execute(db.query);
  return rows[0];
}

/** Records that a worker has stopped polling. */
export async function removeWorker(db: Database, id: string): Promise<void> {
  await db.query.deleteFrom('workers').where('id', '=', id).execute();
}

/**
 * Makes sure that the queue of every role is polled.
 * @throws ServiceError `SERVICE_UNAVAILABLE` that names the roles whose queues no worker polls
 */
export async function requireWorkers(db: Database, roles: readonly string[]): Promise<void> {
  const { rows } = await sql<{ role: string }>`
    select role from unnest(${roles}::text[]) with ordinality as wanted (role, place)
    where not exists (
      select from workers
      where role = any (roles) and ${HAS_REPORTED}
    )
    order by place`.execute(db.query);
  if (!rows.length) return;
  const idle = rows.map(({ role }) => role).join(', ');
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `No worker polls for the roles ${idle}. Their jobs wait until such a worker runs.`,
  );
}

/** Lists the workers that run, with the browser sessions on each. */
export async function listWorkers(db: Database) {
  const { rows } = await sql<{
    id: string;
    roles: string[];
    hostsSessions: boolean;
    sessions: number;
    hasRoom: boolean;
    tasks: number;
    cores: number;
    memoryBytes: number;
    seenAt: Date;
  }>`
    select id, roles, tasks, cores, memory_bytes as "memoryBytes", host_url is not null as "hostsSessions", has_room as "hasRoom", seen_at as "seenAt", (
      select count(*)::int from browser_sessions where state <> 'destroyed' and browser_sessions.host = workers.host_url
    ) as sessions
    from workers where ${HAS_REPORTED} order by id`.execute(db.query);
  return rows;
}
