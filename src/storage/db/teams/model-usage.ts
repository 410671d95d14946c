import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** The lengths of the periods by which tokens are summed, with the days that a report of them covers. */
const MODEL_PERIODS = { hour: 7, day: 90 } as const;
export type ModelPeriod = keyof typeof MODEL_PERIODS;

/** The calls of language models in one period. `apiKey` is the name of the key, `null` for jobs without one. */
export interface ModelUsage {
  startDate: Date;
  apiKey: string | null;
  tokens: number;
  calls: number;
}

/**
 * Lists the tokens of a team by period in UTC and, with `byApiKey`, by key. The oldest period comes first, and periods
 * without calls are left out.
 */
export async function listModelUsage(
  db: Database,
  { teamId, period, byApiKey }: { teamId: string; period: ModelPeriod; byApiKey: boolean },
): Promise<ModelUsage[]> {
  const { rows } = await sql<ModelUsage>`
    select date_trunc(${sql.lit(period)}, call.created_at, 'UTC') as "startDate",
      ${byApiKey ? sql`api_keys.name` : sql`null::text`} as "apiKey",
      sum(call.prompt_tokens + call.output_tokens)::float8 as tokens, count(*)::int as calls
    from model_calls as call left join api_keys on api_keys.id = call.api_key_id
    where call.team_id = ${teamId}
      and call.created_at >= date_trunc(${sql.lit(period)}, now() - make_interval(days => ${MODEL_PERIODS[period]}), 'UTC')
    group by 1, 2 order by 1, 2`.execute(db.query);
  return rows;
}
