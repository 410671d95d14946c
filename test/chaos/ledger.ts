import { setTimeout as sleep } from 'node:timers/promises';
import { toServiceError } from '../../src/errors.ts';
import { type Database, openDatabase } from '../../src/storage/db/client.ts';
import { changeTeam, FIRST_TEAM, findTeam } from '../../src/storage/db/teams/teams.ts';
import type { Findings } from './findings.ts';
import type { VerifiedJob } from './verify.ts';

/** The credits of the team in the database. */
export interface Ledger {
  /**
   * Checks entries and balance against all jobs that ended since the ledger was opened. No job may be
   * running.
   */
  check(jobs: VerifiedJob[]): Promise<void>;
  close(): Promise<void>;
}

const CREDITS = 10_000_000;
const AGAIN_MS = 300;

/** Limits the credits of the first team. The balance must fall by exactly the cost of its jobs. */
export async function openLedger(
  databaseUrl: string,
  findings: Findings,
  signal: AbortSignal,
): Promise<Ledger> {
  // A broken connection is retried below.
  const db = openDatabase(databaseUrl, () => undefined);
  const ask = <Answer>(question: (db: Database) => Promise<Answer>) => persistently(db, question, signal);
  await ask((database) => changeTeam(database, FIRST_TEAM, { credits: CREDITS }));
  const { id: teamId } = await ask((database) => findTeam(database, FIRST_TEAM));

  async function checkEntries(jobs: VerifiedJob[]): Promise<void> {
    const entries = await ask((database) => listEntries(database, teamId));
    for (const { plan, id, head, documents, errors } of jobs) {
      const { pages = 0, credits = 0 } = entries.find(({ jobId }) => jobId === id) ?? {};
      const unresolved = errors.filter(({ code }) => code === 'SCRAPE_DNS_RESOLUTION_ERROR').length;
      if (pages !== documents.length + unresolved)
        findings.wrong(
          `${plan.name} ${id}: ${pages} entries in the ledger, ${documents.length + unresolved} pages that cost`,
        );
      if (credits !== head.creditsUsed)
        findings.wrong(`${plan.name} ${id}: creditsUsed is ${head.creditsUsed}, the ledger has ${credits}`);
    }
    const others = entries.filter(({ jobId }) => !jobs.some(({ id }) => id === jobId));
    if (others.length) findings.wrong(`the ledger has entries of ${others.length} jobs that nobody started`);
  }

  return {
    async check(jobs) {
      await checkEntries(jobs);
      const spent = jobs.reduce((sum, { head }) => sum + head.creditsUsed, 0);
      const { credits_remaining: left } = await ask((database) => findTeam(database, FIRST_TEAM));
      if (left !== CREDITS - spent)
        findings.wrong(`the team has ${left} credits instead of ${CREDITS - spent}: jobs cost ${spent}`);
      const known = await ask((database) => countJobs(database, teamId));
      if (known !== jobs.length) findings.wrong(`the team has ${known} jobs, ${jobs.length} were started`);
    },
    close: () => db.close(),
  };
}

const listEntries = (db: Database, teamId: string) =>
  db.query
    .selectFrom('credit_entries')
    .select(({ fn }) => [
      'job_id as jobId',
      fn.countAll<number>().as('pages'),
      fn.sum<number>('credits').as('credits'),
    ])
    .where('team_id', '=', teamId)
    .groupBy('job_id')
    .execute();

async function countJobs(db: Database, teamId: string): Promise<number> {
  const { count } = await db.query
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Retries a query, because the database may have been killed. */
export async function persistently<Answer>(
  db: Database,
  question: (db: Database) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    try {
      return await question(db);
    } catch (error) {
      signal.throwIfAborted();
      if (toServiceError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}
