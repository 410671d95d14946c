import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** Slack beyond a job's own timeout, for waiting results and for starting over. */
const GRACE_MS = 10_000;

/** A dead process is noticed after this long. */
const HEARTBEAT_TIMEOUT = '10s';

/**
 * The activity that scrapes one page. A lost worker costs one of its attempts; errors of the page are not retried.
 * @param timeoutMs the request's own timeout
 */
export function scrapeActivities(timeoutMs: number) {
  return proxyActivities<Pick<Activities, 'scrapePage'>>({
    startToCloseTimeout: timeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: 3, initialInterval: '1s', backoffCoefficient: 2 },
  });
}

/** Short writes to the database, tried until it is back. */
export const bookkeeping = proxyActivities<Pick<Activities, 'recordFailure'>>({
  startToCloseTimeout: '30s',
  retry: { maximumInterval: '30s', maximumAttempts: 100 },
});
