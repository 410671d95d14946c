import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { PageWorkerReport } from '../../../src/jobs/page-jobs/page-worker-report.ts';
import { startPageJob } from '../../../src/temporal/workflow-starts.ts';
import type { Load, SharedParts } from './load.ts';
import { openWorkflows } from './workflows.ts';

/** Runs of page workers in a batch. In the product, each takes three seconds. */
const RUNS_PER_JOB = 20;
/** Pages that a run reports, which only its report in the history shows. */
const PAGES_PER_RUN = 100;

/**
 * Workflows of batches, whose page workers do nothing but report. An operation is the run of a page worker. Each
 * simulated worker is a team with one batch at a time.
 */
export async function openPageJobs(parts: SharedParts): Promise<Load> {
  const runs = new Map<string, number>();
  const ended = new Map<string, () => void>();
  const { client, close } = await openWorkflows(parts, {
    async scrapePages({ jobId }) {
      Context.current().heartbeat();
      const run = (runs.get(jobId) ?? 0) + 1;
      runs.set(jobId, run);
      return reportOf(run);
    },
    endJob: async () => true,
    async summarizeJob(jobId) {
      runs.delete(jobId);
      ended.get(jobId)?.();
      ended.delete(jobId);
      const pages = RUNS_PER_JOB * PAGES_PER_RUN;
      return { status: 'completed', pages, completed: pages, failures: {}, credits: pages, skipped: {} };
    },
  });
  return {
    async addWorker() {
      const teamId = randomUUID();
      return async () => {
        const jobId = randomUUID();
        const end = Promise.withResolvers<void>();
        ended.set(jobId, end.resolve);
        await startPageJob(client, {
          kind: 'batch_scrape',
          jobId,
          teamId,
          label: 'https://site.example/',
          host: 'site.example',
          asked: { urls: RUNS_PER_JOB * PAGES_PER_RUN },
          webhook: false,
        });
        await end.promise;
        return RUNS_PER_JOB;
      };
    },
    close,
  };
}

function reportOf(run: number): PageWorkerReport {
  const total = RUNS_PER_JOB * PAGES_PER_RUN;
  const completed = run * PAGES_PER_RUN;
  return {
    status: 'scraping',
    total,
    completed,
    failed: 0,
    credits: completed,
    open: total - completed,
    full: false,
    outOfCredits: false,
    done: PAGES_PER_RUN,
    lanes: 1,
    waitMs: 0,
    placed: true,
    chunk: { pages: `${completed - PAGES_PER_RUN}-${completed - 1}` },
  };
}
