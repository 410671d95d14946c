import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** One call of a language model, without its content. */
export interface ModelCall {
  teamId: string;
  jobId: string;
  /** The feature that asked. */
  feature: string;
  model: string;
  promptTokens: number;
  outputTokens: number;
  ms: number;
  /** `ok`, or why the response could not be used. */
  outcome:
    | 'ok'
    | 'empty'
    | 'truncated'
    | 'prompt_cut'
    | 'invalid'
    | 'unreachable'
    | 'busy'
    | 'failed'
    | 'rejected'
    | 'denied'
    | 'malformed'
    | 'aborted';
}

/** Days that calls are kept for the operator's reports. */
const KEPT_DAYS = 90;

/**
 * Records a call of a language model, with the API key of its job, and adds its tokens to those of the team's
 * day.
 */
export async function recordModelCall(db: Database, call: ModelCall): Promise<void> {
  const { teamId, jobId, feature, model, promptTokens, outputTokens, ms, outcome } = call;
  await sql`
    with day as (
      insert into model_days (team_id, day, tokens)
      values (${teamId}, (now() at time zone 'utc')::date, ${promptTokens + outputTokens})
      on conflict (team_id, day) do update set tokens = model_days.tokens + excluded.tokens
    )
    insert into model_calls (team_id, api_key_id, job_id, feature, model, prompt_tokens, output_tokens, ms, outcome)
    select ${teamId}, (select api_key_id from jobs where id = ${jobId}), ${jobId}, ${feature}, ${model},
      ${promptTokens}, ${outputTokens}, ${ms}, ${outcome}`.execute(db.query);
}

/** Sums the tokens of all calls for a job. */
export async function sumModelTokens(db: Database, jobId: string) {
  const { rows } = await sql<{ inputTokens: number; outputTokens: number; totalTokens: number }>`
    select coalesce(sum(prompt_tokens), 0)::int as "inputTokens", coalesce(sum(output_tokens), 0)::int as "outputTokens",
      coalesce(sum(prompt_tokens + output_tokens), 0)::int as "totalTokens"
    from model_calls where job_id = ${jobId}`.execute(db.query);
  return rows[0] ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
}

/** Whether a team has used up the tokens of language models that it may use in a day (UTC). */
export async function isModelBudgetSpent(db: Database, teamId: string): Promise<boolean> {
  const { rows } = await sql<{ spent: boolean }>`
    select coalesce(days.tokens, 0) >= teams.model_tokens_per_day as spent
    from teams left join model_days days
      on days.team_id = teams.id and days.day = (now() at time zone 'utc')::date
    where teams.id = ${teamId} and teams.model_tokens_per_day is not null`.execute(db.query);
  return rows[0]?.spent ?? false;
}

/** Lists the tokens of a team by day (UTC) with the limit of a day, oldest first, for the last 90 days. */
export async function listModelDays(
  db: Database,
  teamId: string,
): Promise<{ tokensPerDay: number | null; days: { date: string; tokens: number }[] }> {
  const [team, days] = await Promise.all([
    db.query
      .selectFrom('teams')
      .select('model_tokens_per_day as tokensPerDay')
      .where('id', '=', teamId)
      .executeTakeFirst(),
    sql<{ date: string; tokens: number }>`
      select to_char(day, 'YYYY-MM-DD') as date, tokens::float8 as tokens from model_days
      where team_id = ${teamId} and day > current_date - ${KEPT_DAYS}::int order by day`.execute(db.query),
  ]);
  return { tokensPerDay: team?.tokensPerDay ?? null, days: days.rows };
}

/** Deletes the records of calls that are older than {@link KEPT_DAYS} days. */
export async function deleteOldModelCalls(db: Database): Promise<void> {
  await sql`delete from model_calls where created_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(
    db.query,
  );
  await sql`delete from model_days where day < current_date - ${KEPT_DAYS}::int`.execute(db.query);
}
