import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { messageOf } from '../../../src/errors.ts';
import { readRunFile } from '../../../src/run/embedded/supervision/run-file.ts';
import { type Database, openDatabase } from '../../../src/storage/db/client.ts';
import { type MonitorChange, readMonitor } from '../../../src/storage/db/monitors/monitors.ts';
import { changeTeam, FIRST_TEAM } from '../../../src/storage/db/teams/teams.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { monitorSchedules } from '../../../src/temporal/monitor-schedules.ts';
import { seeded } from '../../site/random.ts';
import { startPages } from '../../support/sites/pages.ts';
import { type Client as ApiClient, openClient } from '../client.ts';
import { createFindings, type Findings } from '../findings.ts';
import { killAll } from '../killer.ts';
import { persistently } from '../ledger.ts';
import type { ChaosTarget } from '../target.ts';
import { type CheckReceiver, startCheckReceiver } from './receiver.ts';
import { verifyChecks } from './verify.ts';

/** The options of a chaos run with monitors. */
export interface MonitorChaosOptions {
  monitors: number;
  /** Number of kills of each victim. */
  kills: number;
  seed: number;
  /** Aborts the run. */
  signal: AbortSignal;
  /** Receives progress messages. */
  note(text: string): void;
}

/** The result of a chaos run with monitors. */
export interface MonitorChaosReport {
  /** Violations; empty if everything was correct. */
  violations: string[];
  /** Number of kills by victim. */
  kills: Record<string, number>;
  /** Checks, pages and events, for information. */
  counts: Record<string, number>;
  seconds: number;
}

const VICTIMS = ['worker', 'api', 'temporal', 'postgres'];
const CREDITS = 1_000_000;
const PAGES_PER_MONITOR = 3;
/** How long a page stays as it is: shorter than the time between two checks, but not by much. */
const VERSION_MS = 45_000;
const SETTLE_WITHIN_MS = 600_000;
const POLL_MS = 500;

/**
 * Has monitors check pages each minute while processes of the service are killed at random, and checks that each
 * scheduled check took place once, was billed once and was told once.
 */
export async function runMonitorChaos(
  target: ChaosTarget,
  options: MonitorChaosOptions,
): Promise<MonitorChaosReport> {
  const { signal, note, kills, seed } = options;
  const findings = createFindings((text) => note(`WRONG  ${text}`));
  const startedAt = performance.now();
  const killed = Object.fromEntries(VICTIMS.map((victim) => [victim, 0]));
  const db = openDatabase(target.databaseUrl, () => undefined);
  await using receiver = await startCheckReceiver(findings);
  await using site = await startClock(options.monitors * PAGES_PER_MONITOR);
  const watch: Watch = { target, db, findings, receiver, signal };
  try {
    await changeTeam(db, FIRST_TEAM, { credits: CREDITS });
    const client = openClient({ ...target, random: seeded(seed), findings, signal });
    const ids = await createMonitors(client, { site, receiver, count: options.monitors });
    // The API refuses so short an interval.
    await changeMonitors(watch, ids, { cron: '* * * * *' });
    await untilBegun(watch);
    await killAll({
      target,
      victims: VICTIMS,
      kills,
      seed,
      signal,
      onKill(victim, count) {
        killed[victim] = count;
        note(`killed ${victim} (${count} of ${kills})`);
      },
    });
    await untilChecked(watch, ids);
    await changeMonitors(watch, ids, { status: 'paused' });
    await untilQuiet(watch);
    await verifyChecks(db, { receiver, findings, credits: CREDITS });
  } catch (error) {
    signal.throwIfAborted();
    findings.wrong(messageOf(error));
  } finally {
    await db.close();
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { violations: findings.violations, kills: killed, counts: findings.counts, seconds };
}

/** What the steps of a run share. */
interface Watch {
  target: ChaosTarget;
  db: Database;
  findings: Findings;
  receiver: CheckReceiver;
  signal: AbortSignal;
}

/** Serves pages at `/0`, `/1` and so on. Their text and title say how many periods have passed, so that they change. */
function startClock(count: number) {
  const serve = (index: number) => {
    const version = Math.floor(Date.now() / VERSION_MS);
    return `<!doctype html><title>Version ${version}</title><main><h1>Page ${index}</h1><p>The price is ${version} euros.</p></main>`;
  };
  return startPages(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `/${index}`,
        (_request: unknown, response: ServerResponse) =>
          void response.writeHead(200, { 'Content-Type': 'text/html' }).end(serve(index)),
      ]),
    ),
  );
}

async function createMonitors(
  client: ApiClient,
  { site, receiver, count }: { site: { url: string }; receiver: CheckReceiver; count: number },
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const urls = Array.from(
      { length: PAGES_PER_MONITOR },
      (_, page) => `${site.url}/${index * PAGES_PER_MONITOR + page}`,
    );
    const created = await client.ask('/v2/monitor', {
      body: {
        name: `Monitor ${index}`,
        schedule: { cron: '0 * * * *' },
        targets: [{ type: 'scrape', urls, scrapeOptions: { fastMode: true } }],
        webhook: receiver.url,
      },
    });
    // The API reference says so.
    ids.push((created as { data: { id: string } }).data.id);
  }
  return ids;
}

/** Changes rows of monitors and their schedules, whatever is down. */
async function changeMonitors({ target, db, signal }: Watch, ids: string[], change: MonitorChange) {
  const connection = await connectTemporal(readRunFile(target.dataDir)?.urls.temporal ?? '');
  try {
    const schedules = monitorSchedules(new Client({ connection, namespace: 'default' }));
    await persistently(
      db,
      ({ query }) => query.updateTable('monitors').set(change).where('id', 'in', ids).execute(),
      signal,
    );
    for (const id of ids) {
      const monitor = await readMonitor(db, id);
      if (monitor) await schedules.put(monitor);
    }
  } finally {
    await connection.close();
  }
}

/** Waits until the first check has begun. */
const untilBegun = (watch: Watch) =>
  untilEmpty(watch, async () => {
    const check = await watch.db.query.selectFrom('monitor_checks').select('id').limit(1).executeTakeFirst();
    return check ? [] : ['no check has begun'];
  });

/** Waits until each monitor has completed a check that began after everything was up again. */
async function untilChecked(watch: Watch, ids: string[]): Promise<void> {
  const upAt = new Date();
  await untilEmpty(watch, async () => {
    const rows = await watch.db.query
      .selectFrom('monitor_checks')
      .select('monitor_id as id')
      .where('started_at', '>', upAt)
      .where('status', 'in', ['completed', 'partial', 'failed'])
      .execute();
    const checked = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !checked.has(id)).map((id) => `monitor ${id} is checked no more`);
  });
}

/** Waits until no check runs, and no event is to be delivered. */
async function untilQuiet(watch: Watch): Promise<void> {
  await untilEmpty(watch, async () => {
    const { rows } = await sql<{ text: string }>`
      select 'check ' || id || ' goes on' as text from monitor_checks where status in ('queued', 'running')
      union all
      select 'event ' || id || ' is not delivered' from webhook_deliveries
      where type like 'monitor.%' and status = 'pending'`.execute(watch.db.query);
    return rows.map(({ text }) => text);
  });
}

/** Waits until nothing is left; what is left then is a finding. */
async function untilEmpty({ findings, signal }: Watch, read: () => Promise<string[]>): Promise<void> {
  const deadline = Date.now() + SETTLE_WITHIN_MS;
  for (;;) {
    const left = await read();
    if (!left.length) return;
    if (Date.now() > deadline) {
      for (const text of left) findings.wrong(text);
      return;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
