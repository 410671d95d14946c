import { Counter } from 'prom-client';

/** The jobs that this process has ended. A registry takes the counter in, see `storage/db/database-metrics.ts`. */
export const endedJobs = new Counter({
  name: 'winnow_jobs_total',
  help: 'Jobs that have ended, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  registers: [],
});

/** The credits that this process has billed. */
export const billedCredits = new Counter({
  name: 'winnow_credits_total',
  help: 'Credits that were billed, by the kind of the job',
  labelNames: ['kind'],
  registers: [],
});

/**
 * Counts a job that has just ended, with what it costs.
 * @param job its row; `undefined` if the job had ended before, and changes nothing
 */
export function countEndedJob(job: { kind: string; credits?: number } | undefined, outcome: string): void {
  if (!job) return;
  endedJobs.inc({ kind: job.kind, outcome });
  if (job.credits) billedCredits.inc({ kind: job.kind }, job.credits);
}
