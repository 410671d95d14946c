import { sql } from 'kysely';
import { arrayParameter, type Queryable } from '../client.ts';

/** Adds an event for each of some pages of a check, if the webhook of its monitor wants it. */
export async function addPageEvents(
  query: Queryable,
  checkId: string,
  ordinals: readonly number[],
): Promise<void> {
  const sorted = ordinals.toSorted((one, other) => one - other);
  await sql`
    insert into webhook_deliveries (job_id, team_id, type, ordinal)
    select jobs.id, jobs.team_id, 'monitor.page', page.ordinal
    from jobs, unnest(${arrayParameter(sorted, 'int')}) with ordinality as page (ordinal, place)
    where jobs.id = ${checkId} and jobs.webhook -> 'events' ? 'page' order by place`.execute(query);
}
