import type { PageWorkerReport } from '../jobs/page-jobs/page-worker-report.ts';
import type { FailedPage, JobSummary } from '../storage/db/jobs/job-summary.ts';

/** The texts that the Temporal UI shows of a batch or crawl. */

/** Failed pages that the details of a running job name at most. */
const MAX_FAILED_PAGES = 20;

/** Adds the failed pages that a page worker reports, up to the number that the details name. */
export function addFailedPages(pages: FailedPage[], { chunk }: PageWorkerReport): void {
  pages.push(...(chunk?.failedPages ?? []).slice(0, MAX_FAILED_PAGES - pages.length));
}

/**
 * The text on the bar of a page worker in the timeline.
 * @param report the last report of any page worker of the job, which says where this one begins
 */
export function summaryOfPageWorker(number: number, report: PageWorkerReport | undefined): string {
  const name = `Page worker ${number + 1}`;
  // A job with zero data retention has no such report.
  if (!report?.chunk) return name;
  const { total, completed, failed } = report;
  return `${name}, after ${completed + failed} of ${total} pages, ${failed} failed`;
}

/** The details of a job that runs. */
export function describeProgress(
  report: PageWorkerReport | undefined,
  state: { paused: boolean; discovering: boolean; failedPages: readonly FailedPage[] },
): string {
  if (!report) return 'Starting.';
  const { total, completed, failed, credits, lanes } = report;
  return [
    `**${completed + failed} of ${total} pages**${state.paused ? ', paused' : ''}`,
    `- with a document: ${completed}`,
    `- failed: ${failed}`,
    `- credits: ${credits}`,
    `- page workers: ${lanes}`,
    ...(state.discovering ? ['- sitemaps are being read'] : []),
    ...listFailedPages(state.failedPages, failed),
  ].join('\n');
}

/** The details of a job that has ended. */
export function describeSummary(summary: JobSummary): string {
  const { status, pages, completed, failures, failedPages = [], credits, slowestHost, skipped } = summary;
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
    ...listFailedPages(failedPages, failed),
  ].join('\n');
}

/** Names failed pages with their codes. */
function listFailedPages(pages: readonly FailedPage[], failed: number): string[] {
  if (!pages.length) return [];
  const more = failed - pages.length;
  return [
    '',
    'Failed pages:',
    '',
    // A URL is text of a stranger, which must not become markdown.
    ...pages.map(({ url, code }) => `- \`${url.replaceAll('`', '%60')}\`: ${code}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

const formatCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
