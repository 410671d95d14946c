import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { QUEUES } from './queues.ts';

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

/**
 * The activity that maps one site; as `scrapeActivities`.
 * @param timeoutMs the request's own timeout
 */
export function mapActivities(timeoutMs: number) {
  return proxyActivities<Pick<Activities, 'mapSite'>>({
    startToCloseTimeout: timeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: 3, initialInterval: '1s', backoffCoefficient: 2 },
  });
}

/** What was cut off by a lost process starts over at once; a lost database is waited for. */
const PERSISTENT = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** Short writes to the database, tried until it is back. */
export const bookkeeping = proxyActivities<
  Pick<Activities, 'recordFailure' | 'retuneJob' | 'endJob' | 'summarizeJob'>
>({
  startToCloseTimeout: '30s',
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});

/** The hands of batches and crawls. A job must not be lost to what passes, so it is long before they give up. */
const chunks = proxyActivities<Pick<Activities, 'scrapePages'>>({
  taskQueue: QUEUES.pages,
  allowEagerDispatch: false,
  // A page may take five minutes, and it may be claimed in the last second of a lane.
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 10_000 },
});
export const lanes = {
  scrapePages: (input: Parameters<Activities['scrapePages']>[0]) =>
    chunks.scrapePages.executeWithOptions({ summary: `Worker ${input.lane + 1} of the job` }, [input]),
};

/** What is found out about a site before and beside its pages. */
const discoverySteps = proxyActivities<Pick<Activities, 'prepareCrawl' | 'readSitemaps'>>({
  taskQueue: QUEUES.pages,
  allowEagerDispatch: false,
  startToCloseTimeout: '15m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});
export const discovery = {
  prepareCrawl: (jobId: string) =>
    discoverySteps.prepareCrawl.executeWithOptions({ summary: 'robots.txt' }, [jobId]),
  readSitemaps: (jobId: string) =>
    discoverySteps.readSitemaps.executeWithOptions({ summary: 'Sitemaps' }, [jobId]),
};

/** The hands of webhooks. */
export const deliveries = proxyActivities<Pick<Activities, 'deliverWebhooks'>>({
  taskQueue: QUEUES.webhooks,
  allowEagerDispatch: false,
  // Five seconds of work, and ten for what is under way then.
  startToCloseTimeout: '1m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 10_000 },
});

/** What keeps the house clean; a round that fails is made up for by the next. */
export const upkeepSteps = proxyActivities<Pick<Activities, 'findStalled' | 'findOverdue' | 'tidyUp'>>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumInterval: '60s', maximumAttempts: 10_000 },
});
