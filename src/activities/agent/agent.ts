import { Context } from '@temporalio/activity';
import { v7 as uuidv7 } from 'uuid';
import type { Access } from '../../agent/access.ts';
import {
  type ChildKind,
  canWorkByRules,
  childJobOf,
  isChildKind,
  rulesReasonOf,
  type StoredRun,
  taskOf,
} from '../../agent/child-requests.ts';
import type { Reply } from '../../agent/conversation.ts';
import { callsOfTurn, type NewCall, type Step } from '../../agent/step.ts';
import type { AgentTask, RulesReason } from '../../agent/task.ts';
import { think } from '../../agent/think.ts';
import { callsOf, isOpenedPage, nextTurn, withAnswer } from '../../agent/turns.ts';
import type { Blobs } from '../../blobs/index.ts';
import type { Database } from '../../db/client.ts';
import {
  type AgentRun,
  addTurn,
  findRun,
  finishStep,
  isOpenCall,
  listSteps,
  type NewTurn,
} from '../../db/jobs/agent-steps.ts';
import { isModelBudgetSpent } from '../../db/teams/model-calls.ts';
import { ServiceError } from '../../errors.ts';
import type { CheckTask } from '../../extraction/check-data.ts';
import type { CheckedResponse } from '../../language-model.ts';
import type { Models } from '../../models/index.ts';
import { startModelTime } from '../../models/model-time.ts';
import type { RenderPool } from '../../rendering/render-pool.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { type AgentEnd, concludeRun } from './agent-end.ts';
import { readAccess, readOutcome, readRunState } from './agent-results.ts';

/** Dependencies of agents and extracts. */
export interface AgentDeps {
  db: Database;
  blobs: Blobs;
  models: Models | undefined;
  renderer: Pick<RenderPool, 'check'>;
}

/** A call that the workflow of a run has to execute. */
export interface OpenCall {
  sequence: number;
  /** The text that the Temporal UI shows for it. */
  label: string;
  /** The job that does its work. */
  child?: { kind: ChildKind; id: string; timeoutMs: number };
}

/** The next calls of a run; it ends if it has no calls and another turn is not wanted. */
export interface TurnReport {
  calls: OpenCall[];
  isEnd: boolean;
}

/** How long the model may take for a turn, in milliseconds. */
const THINK_MS = 240_000;
/** How long the check of a result may take, in milliseconds. */
const CHECK_MS = 20_000;
/** The default timeout of maps and searches, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 60_000;

/** The activities of agents and extracts. */
export function agentActivities(deps: AgentDeps) {
  const { db, blobs, models, renderer } = deps;
  return {
    /**
     * Decides what a run does next: by its plan, or by asking the model. The activity may be repeated: a turn that is
     * stored stays as it is.
     */
    async takeTurn(jobId: string, turn: number): Promise<TurnReport> {
      const run = await findRun(db, jobId);
      if (run?.status !== 'scraping') return { calls: [], isEnd: true };
      using _ = startHeartbeat();
      const known = await listSteps(db, jobId);
      // An earlier attempt may have decided the turn.
      const isDecided = known.some((step) => step.turn === turn);
      if (!isDecided && (await decideTurn(run, turn, known))) return { calls: [], isEnd: true };
      const steps = isDecided ? known : await listSteps(db, jobId);
      return reportOf(run, callsOfTurn(steps, turn).filter(isOpenCall));
    },

    /** Stores the outcome of a call whose work is done. */
    async finishCall(jobId: string, sequence: number): Promise<void> {
      const run = await findRun(db, jobId);
      if (run?.status !== 'scraping') return;
      const steps = await listSteps(db, jobId);
      const step = steps.find((each) => each.sequence === sequence);
      if (!step || !isOpenCall(step)) return;
      const task = taskOfRun(run, steps);
      const access = await readAccess(deps, task, steps);
      const outcome = await readOutcome(deps, step, { access, isByRules: task.byRules !== undefined });
      await finishStep(db, jobId, { sequence, ...outcome });
    },

    /** Ends a run: with its result, or with the reason why it has none. */
    async endRun(jobId: string, end: AgentEnd): Promise<void> {
      const run = await findRun(db, jobId);
      if (run?.status !== 'scraping') return;
      const task = taskOfRun(run, await listSteps(db, jobId));
      await concludeRun(deps, { run, task }, end);
    },
  };

  // The API validated the request before it was stored.
  function storedRun({ kind, request }: AgentRun): StoredRun {
    return { kind, request } as StoredRun;
  }

  function taskOfRun(
    run: AgentRun,
    steps: readonly Step[],
    byRules: RulesReason | undefined = rulesReasonOf(storedRun(run), {
      hasModel: models !== undefined,
      steps,
    }),
  ): AgentTask {
    const task = taskOf(storedRun(run), byRules);
    // The team pays at the end of the run, and other work of it may have used up its credits by then.
    const teamCredits = Math.max(0, run.teamCredits ?? Number.POSITIVE_INFINITY);
    return { ...task, maxCredits: Math.min(task.maxCredits, teamCredits) };
  }

  /** Decides about a turn and stores it. @returns whether the run has ended instead */
  async function decideTurn(run: AgentRun, turn: number, steps: readonly Step[]): Promise<boolean> {
    const task = (await isSpentAtStart(run, steps))
      ? taskOfRun(run, steps, 'budget-spent')
      : taskOfRun(run, steps);
    const state = await readRunState(deps, task, steps);
    const situation = { steps, access: state.access };
    const next = nextTurn(task, { ...situation, links: state.links });
    if (next.kind === 'end') return true;
    if (next.kind === 'plan') {
      await addPlan(run, { turn, calls: next.calls }, { task, ...situation });
      return false;
    }
    let reply: Reply;
    try {
      reply = withAnswer(await thinkInTime(run, { task, steps, ...state, ...next }), next.isLast);
    } catch (error) {
      if (!isBudgetSpent(error) || !canWorkByRules(storedRun(run)) || !steps.some(isOpenedPage)) throw error;
      const rulesTask = taskOfRun(run, steps, 'budget-spent');
      await addPlan(run, { turn, calls: [] }, { task: rulesTask, ...situation });
      return false;
    }
    const calls = await callsOf(reply.calls, next.tools, { task, steps, access: state.access, checkData });
    const blob = await blobs.put(Buffer.from(JSON.stringify(reply)));
    const step = {
      ...{ tool: 'think' as const, input: next.isLast ? { isLast: true } : {}, blob },
      summary: calls.map(({ tool }) => tool).join(', ') || 'No call',
    };
    await addTurn(db, run, { turn, step, calls: withJobs(run, calls, { task, access: state.access }) });
    return false;
  }

  /** Whether the team of an extract that rules can do has used up its tokens before the first turn. */
  async function isSpentAtStart(run: AgentRun, steps: readonly Step[]): Promise<boolean> {
    if (!models || steps.length > 0 || !canWorkByRules(storedRun(run))) return false;
    return isModelBudgetSpent(db, run.teamId);
  }

  /** Stores a turn that needs no model. */
  async function addPlan(
    run: AgentRun,
    { turn, calls }: { turn: number; calls: readonly NewCall[] },
    { task, access }: { task: AgentTask; access: Access },
  ): Promise<void> {
    const input = task.byRules === undefined ? {} : { byRules: task.byRules };
    const step = { tool: 'plan' as const, summary: 'Open the given URLs', input, blob: null };
    await addTurn(db, run, { turn, step, calls: withJobs(run, calls, { task, access }) });
  }

  /** Checks data of the model in a rendering thread. The schema of a user may have patterns that never end. */
  function checkData(check: CheckTask): Promise<CheckedResponse> {
    const timeout = new AbortController();
    const message = `The result could not be checked against the schema within ${CHECK_MS / 1000} seconds. Simplify the patterns of the schema.`;
    const timer = setTimeout(() => timeout.abort(new ServiceError('BAD_REQUEST', message)), CHECK_MS);
    const signal = AbortSignal.any([Context.current().cancellationSignal, timeout.signal]);
    return renderer.check(check, { signal, urgent: false }).finally(() => clearTimeout(timer));
  }

  /** Asks the model for its next calls. */
  async function thinkInTime(
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
  function withJobs(
    run: AgentRun,
    calls: readonly NewCall[],
    { task, access }: { task: AgentTask; access: Access },
  ): NewTurn['calls'] {
    return calls.map((call) => {
      if (call.error !== null) return call;
      if (call.tool === 'answer') return { ...call, isDone: true };
      const child = childJobOf(storedRun(run), call, { task, hosts: access.hosts });
      return child ? { ...call, child: { id: uuidv7(), ...child } } : call;
    });
  }

  function reportOf(run: AgentRun, calls: readonly Step[]): TurnReport {
    const stored = storedRun(run);
    const scrapeTimeoutMs = stored.kind === 'extract' ? stored.request.scrapeOptions.timeout : 60_000;
    return {
      isEnd: false,
      calls: calls.map(({ sequence, tool, summary, childId }) => ({
        // The words of a search may come from the prompt, which is not shown.
        sequence,
        label: tool === 'search' ? tool : `${tool} ${summary}`.slice(0, 120),
        ...(childId !== null &&
          isChildKind(tool) && {
            child: {
              kind: tool,
              id: childId,
              timeoutMs: tool === 'scrape' ? scrapeTimeoutMs : LOOKUP_TIMEOUT_MS,
            },
          }),
      })),
    };
  }
}

const isBudgetSpent = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'MODEL_BUDGET_EXCEEDED';
