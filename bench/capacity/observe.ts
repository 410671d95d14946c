import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../src/storage/db/client.ts';
import { sampleProcesses } from '../processes.ts';
import type { StartedParts } from './shared-parts.ts';

const LOOK_MS = 200;

/** CPU milliseconds of the shared parts. Postgres serves Winnow and Temporal, each from a database of its own. */
export interface PartsCpu {
  /** The connections of Winnow to Postgres. */
  winnow: number;
  /** The connections of Temporal to Postgres. */
  temporalDatabase: number;
  /** The rest of Postgres: checkpoints, vacuum, and connections that have ended. */
  background: number;
  /** The Temporal server. */
  temporal: number;
}

/** The state of the shared parts at one moment; all figures only grow. */
export interface Snapshot {
  atMs: number;
  /** Operations since the start of the generators. */
  done: number;
  cpuMs: PartsCpu;
  /** Bytes that Postgres has written ahead. */
  walBytes: number;
  /** Sizes of Winnow's tables, of their indexes, and of Temporal's databases, in bytes. */
  tableBytes: number;
  indexBytes: number;
  temporalBytes: number;
}

/** Reads the state of the shared parts. */
export async function takeSnapshot(
  { db, roots }: StartedParts,
  count: () => Promise<number>,
): Promise<Snapshot> {
  const { rows } = await sql<Pick<Snapshot, 'walBytes' | 'tableBytes' | 'indexBytes' | 'temporalBytes'>>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes",
      sum(pg_table_size(oid))::float8 as "tableBytes", sum(pg_indexes_size(oid))::float8 as "indexBytes",
      (select sum(pg_database_size(oid))::float8 from pg_database where datname like 'temporal%') as "temporalBytes"
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(db.query);
  const done = await count();
  return { atMs: performance.now(), done, cpuMs: sampleCpu(roots), ...rows[0]! };
}

function sampleCpu(roots: StartedParts['roots']): PartsCpu {
  const sums: PartsCpu = { winnow: 0, temporalDatabase: 0, background: 0, temporal: 0 };
  for (const { pid, role, cpuMs } of sampleProcesses(roots))
    sums[role === 'temporal' ? 'temporal' : shareOf(pid)] += cpuMs;
  return sums;
}

/** Whose a process of Postgres is. Its title has the user and the database that it serves. */
function shareOf(pid: number): keyof PartsCpu {
  let title: string;
  try {
    title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return 'background'; // It has just ended, and counts to its parent from now on.
  }
  if (title.startsWith('postgres: winnow winnow ')) return 'winnow';
  return title.startsWith('postgres: winnow temporal') ? 'temporalDatabase' : 'background';
}

/** What connections to Postgres did while a load ran. */
export interface Connections {
  most: number;
  /** Mean number of those that ran a statement, and of those that waited for a lock of another one. */
  active: number;
  waiting: number;
}

/** Looks at the connections until a time is over. Temporal's and Winnow's count alike. */
export async function watchConnections({ query }: Database, ms: number): Promise<Connections> {
  const until = performance.now() + ms;
  const looks: Connections[] = [];
  while (performance.now() < until) {
    const { rows } = await sql<Connections>`
      select count(*)::int as most, (count(*) filter (where state = 'active'))::int as active,
        (count(*) filter (where wait_event_type = 'Lock'))::int as waiting
      from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(query);
    looks.push(rows[0]!);
    await sleep(LOOK_MS);
  }
  const mean = (pick: (look: Connections) => number) =>
    looks.reduce((sum, look) => sum + pick(look), 0) / looks.length;
  return {
    most: Math.max(...looks.map(({ most }) => most)),
    active: mean(({ active }) => active),
    waiting: mean(({ waiting }) => waiting),
  };
}
