import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** The steps in which the course of a job is told. Each costs a look into an index, however large the job is. */
const STEPS = 60;

/** How many documents a job had at a time. */
export interface DocumentPace {
  documents: number;
  at: Date;
}

/** Reads when a job had its first document, its last one, and those between them in equal steps. */
export async function readDocumentPace(db: Database, jobId: string): Promise<DocumentPace[]> {
  const { rows } = await sql<DocumentPace>`
    with newest as (select max(position) as position from pages where job_id = ${jobId} and position is not null),
    steps as (
      select distinct (1 + (newest.position - 1) * step / ${STEPS}::numeric)::int as position
      from newest, generate_series(0, ${STEPS}::int) as step where newest.position is not null)
    select pages.position as documents, finished_at as at
    from steps join pages on pages.job_id = ${jobId} and pages.position = steps.position
    where finished_at is not null order by pages.position`.execute(db.query);
  return rows;
}
