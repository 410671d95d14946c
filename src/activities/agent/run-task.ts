import { rulesReasonOf, type StoredRun, taskOf } from '../../jobs/agent/stored-run.ts';
import type { AgentTask, RulesReason } from '../../jobs/agent/task.ts';
import type { Step } from '../../storage/agent-steps/step.ts';
import type { AgentRun } from '../../storage/db/jobs/agent-steps.ts';

/** The kind and request of a run. */
export function toStoredRun({ kind, request }: AgentRun): StoredRun {
  // The API validated the request before it was stored.
  return { kind, request } as StoredRun;
}

/** The task of a run, which the model does or, if there is none or the steps say so, rules. */
export function taskOfRun({ models }: { models: unknown }, run: AgentRun, steps: readonly Step[]): AgentTask {
  return createTask(run, rulesReasonOf(toStoredRun(run), { hasModel: models !== undefined, steps }));
}

/** The task of a run that continues by rules, because its team has used up its tokens of the model. */
export const budgetSpentTask = (run: AgentRun): AgentTask => createTask(run, 'budget-spent');

function createTask(run: AgentRun, byRules: RulesReason | undefined): AgentTask {
  const task = taskOf(toStoredRun(run), byRules);
  // The team pays at the end of the run, and other work of it may have used up its credits by then.
  const teamCredits = Math.max(0, run.teamCredits ?? Number.POSITIVE_INFINITY);
  return { ...task, maxCredits: Math.min(task.maxCredits, teamCredits) };
}
