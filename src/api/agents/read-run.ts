import { TOKENS_PER_CREDIT } from '../../credits.ts';
import type { AgentKind } from '../../job-kinds.ts';
import type { RunResult } from '../../jobs/agent/results.ts';
import { priceOfRun } from '../../storage/agent-steps/step.ts';
import { findEndedRun, listSteps } from '../../storage/db/jobs/agent-steps.ts';
import type { JobStatus } from '../../storage/db/tables.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import type { ApiDeps } from '../http/route.ts';
import { jobNotFound } from '../job-not-found.ts';

/** The states of a run, as clients know them. */
export const RUN_STATUS = {
  scraping: 'processing',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<JobStatus, string>;

/**
 * Reads a run for its status.
 * @param kinds the kinds of runs that the path serves
 * @throws ServiceError `NOT_FOUND` if the team has no such run, or it has expired
 */
export async function readRun(
  id: string,
  { caller, kinds }: { caller: Caller; kinds: AgentKind[] },
  deps: ApiDeps,
) {
  const { db, results } = deps;
  const run = await findEndedRun(db, id);
  if (!run || run.teamId !== caller.teamId || !kinds.includes(run.kind)) {
    const message = `Job not found. There is no ${kinds[0]} ${id}, or its result has expired.`;
    throw await jobNotFound(deps, { id, teamId: caller.teamId, message });
  }
  const steps = run.status === 'scraping' ? await listSteps(db, id) : [];
  const creditsUsed =
    run.status === 'scraping' ? priceOfRun(steps, { maxCredits: Infinity, hasResult: false }) : run.credits;
  // `concludeRun` stored the result in this shape.
  const result =
    run.blob === null ? undefined : (JSON.parse((await results.get(run.blob)).toString()) as RunResult);
  const fields = {
    success: true as const,
    id,
    status: RUN_STATUS[run.status],
    ...(result && { data: result.data }),
    ...(run.error && { error: run.error.message }),
    ...(result?.warning && { warning: result.warning }),
    ...(result?.modelTokens !== undefined && { llmUsage: result.modelTokens }),
    expiresAt: run.expiresAt.toISOString(),
    creditsUsed,
    tokensUsed: creditsUsed * TOKENS_PER_CREDIT,
  };
  return { run, result, fields };
}
