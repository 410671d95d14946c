import { Context } from '@temporalio/activity';
import { v7 as uuidv7 } from 'uuid';
import type { CheckTask } from '../../content/extraction/check-data.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import { ServiceError } from '../../errors.ts';
import type { Access } from '../../jobs/agent/access.ts';
import { childJobOf } from '../../jobs/agent/child-jobs.ts';
import type { Reply } from '../../jobs/agent/conversation.ts';
import { canWorkByRules } from '../../jobs/agent/stored-run.ts';
import type { AgentTask } from '../../jobs/agent/task.ts';
import { think } from '../../jobs/agent/think.ts';
import { callsOf, isOpenedPage, nextTurn, withAnswer } from '../../jobs/agent/turns.ts';
import type { Models } from '../../models/index.ts';
import { startModelTime } from '../../models/model-time.ts';
import type { NewCall, Step } from '../../storage/agent-steps/step.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { type AgentRun, addTurn, type NewTurn } from '../../storage/db/jobs/agent-steps.ts';
import { isModelBudgetSpent } from '../../storage/db/teams/model-calls.ts';
import { readRunState } from './agent-results.ts';
import { budgetSpentTask, taskOfRun, toStoredRun } from './run-task.ts';

/** Dependencies of agents and extracts. */
export interface AgentDeps {
  db: Database;
  results: Blobs;
  models: Models | undefined;
  renderer: Pick<RenderPool, 'check'>;
}

/** A turn that has not been decided. */
interface OpenTurn {
  run: AgentRun;
  number: number;
  /** The steps of the run so far. */
  steps: readonly Step[];
}

/** The task of a run and its access to the web, from which the jobs of calls are made. */
interface CallContext {
  task: AgentTask;
  access: Access;
}

/** How long the model may take for a turn, in milliseconds. */
const THINK_MS = 240_000;

/**
 * Decides about a turn and stores it.
 * @returns whether the run has ended instead
 * @throws ServiceError `MODEL_NOT_CONFIGURED`, and the errors of the model unless rules can continue
 */
export async function decideTurn(deps: AgentDeps, turn: OpenTurn): Promise<boolean> {
  const { run, steps } = turn;
  const task = (await isSpentAtStart(deps, turn)) ? budgetSpentTask(run) : taskOfRun(deps, run, steps);
  const state = await readRunState(deps, task, steps);
  const { access } = state;
  const next = nextTurn(task, { steps, access, links: state.links });
  if (next.kind === 'end') return true;
  if (next.kind === 'plan') {
    await addPlan(deps, turn, { calls: next.calls, task, access });
    return false;
  }
  let reply: Reply;
  try {
    reply = withAnswer(await askModel(deps, run, { task, steps, ...state, ...next }), next.isLast);
  } catch (error) {
    if (!isBudgetSpent(error) || !canWorkByRules(toStoredRun(run)) || !steps.some(isOpenedPage)) throw error;
    await addPlan(deps, turn, { calls: [], task: budgetSpentTask(run), access });
    return false;
  }
  const options = { owner: run.teamId, signal: Context.current().cancellationSignal, urgent: false };
  const checkData = (check: CheckTask) => deps.renderer.check(check, options);
  const calls = await callsOf(reply.calls, next.tools, { task, steps, access, checkData });
  const step = {
    tool: 'think' as const,
    input: next.isLast ? { isLast: true } : {},
    blob: await deps.results.put(Buffer.from(JSON.stringify(reply))),
    summary: calls.map(({ tool }) => tool).join(', ') || 'No call',
  };
  await addTurn(deps.db, run, { turn: turn.number, step, calls: withJobs(run, calls, { task, access }) });
  return false;
}

/** Whether the team of an extract that rules can do has used up its tokens before the first turn. */
async function isSpentAtStart({ db, models }: AgentDeps, { run, steps }: OpenTurn): Promise<boolean> {
  if (!models || steps.length > 0 || !canWorkByRules(toStoredRun(run))) return false;
  return isModelBudgetSpent(db, run.teamId);
}

/** Stores a turn that needs no model. */
async function addPlan(
  { db }: AgentDeps,
  { run, number }: OpenTurn,
  { calls, task, access }: CallContext & { calls: readonly NewCall[] },
): Promise<void> {
  const input = task.byRules === undefined ? {} : { byRules: task.byRules };
  const step = { tool: 'plan' as const, summary: 'Open the given URLs', input, blob: null };
  await addTurn(db, run, { turn: number, step, calls: withJobs(run, calls, { task, access }) });
}

/** Asks the model for its next calls. @throws ServiceError `MODEL_NOT_CONFIGURED` without a model */
async function askModel(
  { models }: AgentDeps,
  { id: jobId, teamId }: AgentRun,
  parts: Parameters<typeof think>[1],
): Promise<Reply> {
  const { feature } = parts.task;
  if (!models) {
    const message = `${feature === 'agent' ? 'An agent' : 'An extract without a schema'} needs a language model, and the operator has removed it. WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL set one.`;
    throw new ServiceError('MODEL_NOT_CONFIGURED', message);
  }
  using time = startModelTime(THINK_MS, Context.current().cancellationSignal);
  const { signal, endsAt } = time;
  return await think(models.modelFor({ feature, teamId, jobId, signal, endsAt }), parts);
}

/** Adds the jobs that do the work of calls. */
function withJobs(run: AgentRun, calls: readonly NewCall[], { task, access }: CallContext): NewTurn['calls'] {
  return calls.map((call) => {
    if (call.error !== null) return call;
    if (call.tool === 'answer') return { ...call, isDone: true };
    const child = childJobOf(toStoredRun(run), call, { task, hosts: access.hosts });
    return child ? { ...call, child: { id: uuidv7(), ...child } } : call;
  });
}

const isBudgetSpent = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'MODEL_BUDGET_EXCEEDED';
