import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/storage/db/client.ts';
import { generateKey } from '../../src/storage/db/teams/generate-key.ts';
import { addKey, changeTeam, createTeam } from '../../src/storage/db/teams/teams.ts';
import type { Findings } from '../../test/chaos/findings.ts';
import { pollUntil } from '../../test/support/suite/poll.ts';

/** The jobs and credits of the team that scrapes one page after the other. */
export interface ScrapeLedger {
  key: string;
  /** Checks that all scrapes have ended, that each was billed once, and that those which were served are there. @param served how many were served since the last check */
  check(served: number): Promise<void>;
  close(): Promise<void>;
}

const TEAM = 'scrapes';
const RECOVERY_MS = 60_000;

interface Counts {
  running: number;
  completed: number;
  billed: number;
  twice: number;
  unpaid: number;
}

/** Makes a team that scrapes. */
export async function openScrapeLedger(databaseUrl: string, findings: Findings): Promise<ScrapeLedger> {
  // A broken connection is replaced; a check that meets it is repeated.
  const db = openDatabase(databaseUrl, () => undefined);
  const id = await createTeam(db, TEAM, null);
  await changeTeam(db, TEAM, { credits: null, concurrency: 20 });
  const key = generateKey();
  await addKey(db, id, 'scrapes', key);
  let servedBefore = 0;
  return {
    key,
    async check(served) {
      servedBefore += served;
      const counts = await pollUntil(
        async () => {
          const now = await count(db, id).catch(() => undefined);
          return now?.running === 0 && now;
        },
        { signal: AbortSignal.timeout(RECOVERY_MS) },
      ).catch(() => count(db, id));
      const { running, completed, twice, unpaid } = counts;
      if (running) findings.wrong(`${running} scrapes run a minute after the end of the fault`);
      if (twice) findings.wrong(`${twice} scrapes were billed twice`);
      if (unpaid) findings.wrong(`${unpaid} completed scrapes were not billed, or failed ones were`);
      if (completed < servedBefore)
        findings.wrong(`${servedBefore} scrapes were served, but ${completed} are completed`);
    },
    close: () => db.close(),
  };
}

async function count(db: Database, teamId: string): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select count(*) filter (where status = 'scraping')::int as running,
      count(*) filter (where status = 'completed')::int as completed,
      coalesce(sum(entries), 0)::int as billed,
      count(*) filter (where entries > 1)::int as twice,
      count(*) filter (where (status = 'completed') <> (entries > 0))::int as unpaid
    from jobs left join lateral (
      select count(*) as entries from credit_entries where job_id = jobs.id
    ) bill on true
    where team_id = ${teamId}`.execute(db.query);
  return rows[0]!;
}
