import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { priceOfSession } from '../../../src/credits.ts';
import type { Database } from '../../../src/storage/db/client.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { processesThatMount, processesWith } from '../../support/processes/process-list.ts';
import type { Findings } from '../findings.ts';

/**
 * Abandoned sessions are ended three minutes after their creation by a round of upkeep, which runs every
 * minute.
 */
const SETTLE_WITHIN_MS = 360_000;
const POLL_MS = 500;

/** Waits until something is empty. @returns what is left when the time is over */
async function untilEmpty(read: () => Promise<string[]> | string[], withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    // The database may just have lost a connection.
    const left = await Promise.resolve(read()).catch((error: unknown) => [String(error)]);
    if (!left.length || Date.now() > deadline) return left;
    await sleep(POLL_MS);
  }
}

/** Waits until all sessions have ended, and checks that each was billed once and holds nothing any more. */
export async function checkRows(db: Database, temporalAddress: string, findings: Findings): Promise<void> {
  const open = () => db.query.selectFrom('browser_sessions').where('state', '<>', 'destroyed').select('id');
  const left = await untilEmpty(async () => (await open().execute()).map(({ id }) => id), SETTLE_WITHIN_MS);
  for (const id of left) findings.wrong(`session ${id} has not ended`);
  const held = () => db.query.selectFrom('profiles').where('held_until', '>', new Date()).select('name');
  const profiles = await untilEmpty(
    async () => (await held().execute()).map(({ name }) => name),
    SETTLE_WITHIN_MS,
  );
  for (const name of profiles) findings.wrong(`the profile ${name} is still leased`);
  await checkWorkflows(temporalAddress, findings);
  await checkBills(db, findings);
}

async function checkWorkflows(temporalAddress: string, findings: Findings): Promise<void> {
  const connection = await connectTemporal(temporalAddress);
  try {
    const { workflow } = new Client({ connection });
    const query = `WorkflowType = 'browser' AND ExecutionStatus = 'Running'`;
    const left = await untilEmpty(async () => {
      const { count } = await workflow.count(query);
      return count ? [`${count} workflows of sessions run`] : [];
    }, SETTLE_WITHIN_MS);
    for (const text of left) findings.wrong(text);
  } finally {
    await connection.close();
  }
}

async function checkBills(db: Database, findings: Findings): Promise<void> {
  const sessions = await db.query
    .selectFrom('browser_sessions')
    .innerJoin('jobs', 'jobs.id', 'browser_sessions.id')
    .select(['browser_sessions.id', 'end_reason', 'opened_at', 'ended_at', 'jobs.status', 'jobs.credits'])
    .execute();
  const entries = await db.query.selectFrom('credit_entries').select(['job_id', 'credits']).execute();
  for (const { id, end_reason: reason, opened_at: opened, ended_at: ended, status, credits } of sessions) {
    findings.count(`sessions that ended: ${reason}`);
    if (status !== 'completed') findings.wrong(`the job of session ${id} is ${status}`);
    const durationMs = opened && ended ? ended.getTime() - opened.getTime() : 0;
    const price = opened ? [priceOfSession({ durationMs, prompted: false })] : [];
    const billed = entries.filter(({ job_id: jobId }) => jobId === id).map((entry) => entry.credits);
    if (billed.join() !== price.join())
      findings.wrong(
        `session ${id} (${reason}) was billed ${billed.join(' and ') || 'nothing'}, not ${price}`,
      );
    if (opened && credits !== price[0]) findings.wrong(`session ${id} says that it cost ${credits}`);
  }
}

/** How long processes may take to end, and what a process keeps ready in vain, in milliseconds. */
const ENDED_WITHIN_MS = 90_000;

/** Checks that nothing is left of workers: no process, no directory, no socket. */
export async function checkMachine(workers: number[], findings: Findings): Promise<void> {
  const left = await untilEmpty(
    () =>
      workers.flatMap((pid) => {
        const name = `winnow-session-${pid}-`;
        const processes = [...processesWith(name), ...processesThatMount(name)];
        return [
          ...processes.map(
            (process) => `process ${process.pid} of worker ${pid}: ${process.command.slice(0, 100)}`,
          ),
          ...readdirSync(tmpdir()).filter((entry) => entry.startsWith(name)),
        ];
      }),
    ENDED_WITHIN_MS,
  );
  for (const text of left) findings.wrong(`left behind: ${text}`);
}
