import { patched, setCurrentDetails } from '@temporalio/workflow';
import type { JobSummary } from '../storage/db/jobs/job-summary.ts';
import { bookkeeping } from './activities.ts';
import { describeSummary } from './describe-page-job.ts';

/**
 * Shows the summary of a batch or crawl that has ended in the Temporal UI.
 * @returns the summary, for the result of the workflow; `undefined` for a job with zero data retention
 */
export async function showSummary(jobId: string): Promise<JobSummary | undefined> {
  // Histories of jobs that ended before this patch do not contain the step.
  if (!patched('job-summary')) return undefined;
  const summary = await bookkeeping.summarizeJob(jobId);
  if (summary) setCurrentDetails(describeSummary(summary));
  return summary;
}
