import { sql } from 'kysely';
import type { AgentKind } from '../../../job-kinds.ts';
import { storableJson } from '../../../json/json-object.ts';
import { narrowTarget, type WebhookTarget } from '../../../schemas/webhook.ts';
import type { ChildJob } from '../../agent-steps/child-job.ts';
import {
  isCall,
  type NewCall,
  priceOfRun,
  remainingCredits,
  type Step,
  type StepState,
  withinTeamCredits,
} from '../../agent-steps/step.ts';
import type { Database, Queryable } from '../client.ts';
import type { StoredError } from '../tables.ts';
import { availableCredits, lockCredits } from '../teams/available-credits.ts';
import { insertChildJobs, jobRow, type NewJob } from './jobs.ts';
import { cancelJob, completeJob, failJob } from './take-credits.ts';

const STEP_COLUMNS = [
  ...(['sequence', 'turn', 'tool', 'summary', 'input', 'state', 'credits', 'error', 'blob'] as const),
  ...(['child_id as childId', 'started_at as startedAt', 'finished_at as finishedAt'] as const),
] as const;

/** A step with its times. */
export interface StoredStep extends Step {
  startedAt: Date;
  finishedAt: Date | null;
}

/** Lists the steps of a run in their order. */
export async function listSteps(db: Pick<Database, 'query'>, jobId: string): Promise<StoredStep[]> {
  return db.query
    .selectFrom('agent_steps')
    .select(STEP_COLUMNS)
    .where('job_id', '=', jobId)
    .orderBy('sequence')
    .execute();
}

/** Finds an agent or extract with what its activities need; `undefined` if there is none. */
export async function findRun(db: Database, jobId: string) {
  const row = await db.query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(['jobs.id', 'team_id as teamId', 'api_key_id as apiKeyId', 'kind', 'status', 'request'])
    .select(['expires_at as expiresAt', 'base_url as baseUrl'])
    .select(availableCredits(sql`jobs.id`).as('teamCredits'))
    .where('jobs.id', '=', jobId)
    .where('kind', 'in', ['agent', 'extract'])
    .executeTakeFirst();
  // The condition allows no other kind.
  return row && { ...row, kind: row.kind as AgentKind };
}

/** A run with what its activities need. */
export type AgentRun = NonNullable<Awaited<ReturnType<typeof findRun>>>;

/** A turn that is not stored yet. */
export interface NewTurn {
  turn: number;
  step: Pick<Step, 'tool' | 'summary' | 'input' | 'blob'>;
  calls: (NewCall & {
    child?: (ChildJob & { id: string }) | undefined;
    blob?: string | undefined;
    isDone?: boolean;
  })[];
}

/**
 * Stores a turn with its calls and their jobs, unless the run has ended meanwhile. An attempt that was lost
 * may have stored the turn already; its calls then stay as they are. Calls that cost more than the team has left fail, because other work may have
 * taken its credits in the meantime.
 */
export async function addTurn(db: Database, run: AgentRun, { turn, step, ...rest }: NewTurn): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    // A second attempt at the same time waits here, and then finds the turn of the first one.
    const job = await sql<{ status: string }>`
      select status from jobs where id = ${run.id} for update`.execute(query);
    if (job.rows[0]?.status !== 'scraping') return;
    const { rows } = await sql<{ next: number; exists: boolean }>`
      select coalesce(max(sequence) + 1, 0) as next, coalesce(bool_or(turn = ${turn}), false) as exists
      from agent_steps where job_id = ${run.id}`.execute(query);
    const { next = 0, exists } = rows[0] ?? {};
    if (exists) return;
    const calls = withinTeamCredits(rest.calls, await lockTeamCredits(query, run));
    await insertChildJobs({ query }, childJobsOf(run, calls));
    const values = [
      { ...step, sequence: next, state: 'done' as StepState, childId: null, error: null, reserved: 0 },
      ...calls.map((call, index) => ({
        tool: call.tool,
        summary: call.summary,
        input: call.input,
        error: call.error,
        reserved: call.reserved,
        sequence: next + 1 + index,
        blob: call.blob ?? null,
        childId: call.error === null ? (call.child?.id ?? null) : null,
        state: (call.error !== null ? 'failed' : call.isDone ? 'done' : 'running') as StepState,
      })),
    ];
    const rowsToAdd = values.map(({ input, childId, ...value }) => ({
      ...value,
      job_id: run.id,
      turn,
      input: JSON.stringify(storableJson(input)),
      child_id: childId,
      summary: String(storableJson(value.summary)),
      finished_at: value.state === 'running' ? null : sql<Date>`now()`,
    }));
    await query.insertInto('agent_steps').values(rowsToAdd).execute();
  });
}

/**
 * Reads the credits for the next calls of a run. Until the transaction ends, all other work of the team waits
 * with its own.
 */
async function lockTeamCredits(query: Queryable, { id, teamId }: AgentRun): Promise<number> {
  await lockCredits(query, teamId);
  const run = await query
    .selectFrom('jobs')
    .innerJoin('teams', 'teams.id', 'jobs.team_id')
    .select(availableCredits(sql`jobs.id`).as('credits'))
    .where('jobs.id', '=', id)
    .executeTakeFirstOrThrow();
  if (run.credits === null) return Number.POSITIVE_INFINITY;
  const spent = await query.selectFrom('agent_steps').select('credits').where('job_id', '=', id).execute();
  return remainingCredits(spent, run.credits);
}

/** The jobs that a turn starts. The results expire with those of the run. */
const childJobsOf = (run: AgentRun, calls: NewTurn['calls']): NewJob[] =>
  calls.flatMap(({ child, error }) =>
    child && error === null
      ? {
          id: child.id,
          kind: child.kind,
          parentId: run.id,
          teamId: run.teamId,
          apiKeyId: run.apiKeyId,
          target: String(storableJson(child.target)),
          request: storableJson(child.request),
          ttlMs: run.expiresAt.getTime() - Date.now(),
        }
      : [],
  );

/** Stores the outcome of a call, and the event of it. It changes nothing if the call has ended before. */
export async function finishStep(
  db: Database,
  jobId: string,
  { sequence, state, credits, blob, error }: Pick<Step, 'sequence' | 'state' | 'credits' | 'blob' | 'error'>,
): Promise<void> {
  await sql`
    with step as (
      update agent_steps set state = ${state}, credits = ${credits}, blob = ${blob}, error = ${error}, finished_at = now()
      where job_id = ${jobId} and sequence = ${sequence} and state = 'running'
      returning job_id, sequence
    )
    insert into webhook_deliveries (job_id, team_id, type, ordinal)
    select jobs.id, team_id, kind || '.action', sequence from step join jobs on jobs.id = step.job_id
    where webhook is not null and webhook -> 'events' ? 'action'`.execute(db.query);
}

/** Whether a step is a call that has to be executed. */
export const isOpenCall = (step: Step): boolean => isCall(step) && step.state === 'running';

/** How a run ends. */
export type RunEnd =
  | { status: 'completed'; blob: string }
  | { status: 'cancelled' }
  | { status: 'failed'; error: StoredError };

/** Ends a run and bills it. It changes nothing if the run has already ended. */
export async function endRun(
  db: Database,
  { jobId, credits, end }: { jobId: string; credits: number; end: RunEnd },
): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    const charge = { jobId, credits };
    if (end.status === 'completed') await completeJob({ query }, { ...charge, blob: end.blob });
    else if (end.status === 'failed') await failJob({ query }, { ...charge, error: end.error });
    else await cancelJob({ query }, charge);
    const error = end.status === 'failed' ? end.error.message : null;
    await sql`
      insert into webhook_deliveries (job_id, team_id, type, error)
      select id, team_id, kind || '.' || status, ${error}::text from jobs
      where id = ${jobId} and status = ${end.status} and webhook is not null and webhook -> 'events' ? ${end.status}
        and not exists (select from webhook_deliveries where job_id = jobs.id and type = kind || '.' || ${end.status})`.execute(
      query,
    );
  });
}

/**
 * Ends an agent or extract that has lost its workflow, and bills its steps.
 * @returns whether the job is one; others stay unchanged
 */
export async function failRun(db: Database, jobId: string, error: StoredError): Promise<boolean> {
  const run = await findRun(db, jobId);
  if (!run) return false;
  const maxCredits = Math.max(0, run.teamCredits ?? Number.POSITIVE_INFINITY);
  const credits = priceOfRun(await listSteps(db, jobId), { maxCredits, hasResult: false });
  await endRun(db, { jobId, credits, end: { status: 'failed', error } });
  return true;
}

/** An agent or extract that is not stored yet. */
export interface NewRun extends NewJob {
  kind: AgentKind;
  webhook: WebhookTarget | undefined;
  /** Base of the URLs in events. */
  baseUrl: string;
}

/** Stores an agent or extract with its first event. Its workflow must start only afterwards. */
export async function insertRun(query: Queryable, run: NewRun): Promise<void> {
  const webhook = run.webhook && narrowTarget(run.webhook, run.kind);
  await query
    .insertInto('jobs')
    .values({
      ...jobRow(run),
      webhook: webhook ? JSON.stringify(webhook) : null,
      base_url: run.baseUrl,
    })
    .execute();
  if (!webhook?.events.includes('started')) return;
  await query
    .insertInto('webhook_deliveries')
    .values({ job_id: run.id, team_id: run.teamId, type: `${run.kind}.started` })
    .execute();
}

/** Finds a run with its result if it has one; `undefined` if there is none, or it has expired. */
export async function findEndedRun(db: Database, jobId: string) {
  const row = await db.query
    .selectFrom('jobs')
    .leftJoin('results', (join) => join.onRef('results.job_id', '=', 'jobs.id').on('results.ordinal', '=', 0))
    .select(['jobs.team_id as teamId', 'jobs.kind', 'jobs.status', 'jobs.error', 'jobs.credits'])
    .select(['jobs.request', 'jobs.created_at as createdAt', 'jobs.finished_at as finishedAt'])
    .select(['jobs.expires_at as expiresAt', 'results.blob'])
    .where('jobs.id', '=', jobId)
    .where('jobs.kind', 'in', ['agent', 'extract'])
    .where('jobs.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  // The condition allows no other kind.
  return row && { ...row, kind: row.kind as AgentKind };
}

/** Agents of a team that a list contains at most. */
export const LISTED_AGENTS = 20;

/**
 * Lists the agents of a team, newest first.
 * @param before only those that were started before this time
 */
export async function listAgents(db: Database, teamId: string, before: Date) {
  return db.query
    .selectFrom('jobs')
    .select(['id', 'status', 'request', 'target', 'created_at as createdAt'])
    .where('team_id', '=', teamId)
    .where('kind', '=', 'agent')
    .where('created_at', '<', before)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .limit(LISTED_AGENTS)
    .execute();
}
