import { sql } from 'kysely';
import type { Database } from './client.ts';
import { countSlots } from './slots.ts';

/** Credits of one calendar month (UTC); `apiKey` is the key's name, `null` for requests without a key. */
export interface UsagePeriod {
  startDate: Date;
  endDate: Date;
  apiKey: string | null;
  credits: number;
}

/** A team's credits by month, oldest first; by key too when asked. */
export async function listUsage(db: Database, teamId: string, byApiKey: boolean): Promise<UsagePeriod[]> {
  const month = sql`date_trunc('month', entry.created_at at time zone 'UTC')`;
  const key = byApiKey ? sql<string | null>`api_keys.name` : sql<string | null>`null`;
  return db.query
    .selectFrom('credit_entries as entry')
    .leftJoin('api_keys', 'api_keys.id', 'entry.api_key_id')
    .select([
      sql<Date>`${month} at time zone 'UTC'`.as('startDate'),
      sql<Date>`(${month} + interval '1 month') at time zone 'UTC'`.as('endDate'),
      key.as('apiKey'),
      sql<number>`sum(entry.credits)`.as('credits'),
    ])
    .where('entry.team_id', '=', teamId)
    .groupBy(sql`1, 2, 3`)
    .orderBy(sql`1, 3`)
    .execute();
}

/** How busy a team is: open jobs, how many of them hold a slot, and when the last one succeeded. */
export async function readQueue(db: Database, teamId: string) {
  const [jobs, active] = await Promise.all([
    db.query
      .selectFrom('jobs')
      .select([
        sql<number>`count(*) filter (where status = 'scraping')`.as('open'),
        sql<Date | null>`max(finished_at) filter (where status = 'completed')`.as('mostRecentSuccess'),
      ])
      .where('team_id', '=', teamId)
      .executeTakeFirstOrThrow(),
    countSlots(db, teamId),
  ]);
  return { open: Number(jobs.open), active, mostRecentSuccess: jobs.mostRecentSuccess };
}
