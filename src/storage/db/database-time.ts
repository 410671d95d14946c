import { sql } from 'kysely';
import type { Database } from './client.ts';

/**
 * Reads the clock of the database, by which all rows are dated. That of another machine may be wrong by hours, and what
 * it deems old may be new.
 */
export async function readDatabaseTime(db: Pick<Database, 'query'>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db.query);
  // A select without a table has one row.
  return rows[0]!.now;
}
