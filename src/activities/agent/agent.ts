import { callsOfTurn } from '../../storage/agent-steps/step.ts';
import { findRun, finishStep, isOpenCall, listSteps } from '../../storage/db/jobs/agent-steps.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { type AgentEnd, concludeRun } from './agent-end.ts';
import { readAccess, readOutcome } from './agent-results.ts';
import { type AgentDeps, decideTurn } from './decide-turn.ts';
import { taskOfRun } from './run-task.ts';
import { reportTurn, type TurnReport } from './turn-report.ts';

/** The activities of agents and extracts. */
export function agentActivities(deps: AgentDeps) {
  const { db } = deps;
  return {
    /**
     * Decides what a run does next: by its plan, or by asking the model. The activity may be repeated: a turn
     * that is stored stays as it is.
     */
    async takeTurn(jobId: string, turn: number): Promise<TurnReport> {
      const run = await findRun(db, jobId);
      if (run?.status !== 'scraping') return { calls: [], isEnd: true };
      using _ = startHeartbeat();
      const known = await listSteps(db, jobId);
      // An earlier attempt may have decided the turn.
      const isDecided = known.some((step) => step.turn === turn);
      if (!isDecided && (await decideTurn(deps, { run, number: turn, steps: known })))
        return { calls: [], isEnd: true };
      const steps = isDecided ? known : await listSteps(db, jobId);
      return reportTurn(run, callsOfTurn(steps, turn).filter(isOpenCall));
    },

    /** Stores the outcome of a call whose work is done. */
    async finishCall(jobId: string, sequence: number): Promise<void> {
      const run = await findRun(db, jobId);
      if (run?.status !== 'scraping') return;
      const steps = await listSteps(db, jobId);
      const step = steps.find((each) => each.sequence === sequence);
      if (!step || !isOpenCall(step)) return;
      const task = taskOfRun(deps, run, steps);
      const access = await readAccess(deps, task, steps);
      const outcome = await readOutcome(deps, step, { access, isByRules: task.byRules !== undefined });
      await finishStep(db, jobId, { sequence, ...outcome });
    },

    /** Ends a run: with its result, or with the reason why it has none. */
    async endRun(jobId: string, end: AgentEnd): Promise<void> {
      const run = await findRun(db, jobId);
      if (run?.status !== 'scraping') return;
      const task = taskOfRun(deps, run, await listSteps(db, jobId));
      await concludeRun(deps, { run, task }, end);
    },
  };
}
