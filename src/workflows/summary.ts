import { patched, setCurrentDetails } from '@temporalio/workflow';
import type { JobSummary } from '../storage/db/jobs/job-summary.ts';
import { bookkeeping } from './activities.ts';

/**
 * Shows the summary of a batch or crawl that has ended in the Temporal UI.
 * @returns the summary, for the result of the workflow; `undefined` for a job with zero data retention
 */
export async function showSummary(jobId: string): Promise<JobSummary | undefined> {
  // Histories of jobs that ended before this patch do not contain the step.
  if (!patched('job-summary')) return undefined;
  const summary = await bookkeeping.summarizeJob(jobId);
  if (summary) setCurrentDetails(describe(summary));
  return summary;
}

function describe(summary: JobSummary): string {
  const { status, pages, completed, failures, credits, slowestHost, skipped } = summary;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  return [
    `**${completed + failed} of ${pages} pages**, ${status}`,
    '',
    `- with a document: ${completed}`,
    `- failed: ${failed}${failed ? ` (${formatCounts(failures)})` : ''}`,
    `- credits: ${credits}`,
    ...(slowestHost
      ? [
          `- slowest host: ${slowestHost.host}, ${slowestHost.averageMs} ms on average over ${slowestHost.requests} requests`,
        ]
      : []),
    `- skipped: ${formatCounts(skipped) || 'nothing'}`,
  ].join('\n');
}

const formatCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
