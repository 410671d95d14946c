import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { SupportTool } from '../activities/support/support.ts';
import { QUEUES } from './queues.ts';

/** Milliseconds that an attempt may take beyond the job's own timeout, to start and to report its result. */
const GRACE_MS = 10_000;

/**
 * Milliseconds that a scrape may take beyond its timeout because of a document: the 20 minutes of
 * `jobs/scraping/conversion-time.ts`, and one more for deriving its formats.
 */
const DOCUMENT_OVERTIME_MS = 21 * 60_000;

/** A process that has sent no heartbeat for this long counts as dead. */
const HEARTBEAT_TIMEOUT = '10s';

/**
 * The activity that scrapes one page. It is retried twice at most, for example if its worker is lost; errors
 * of the page are not retried.
 * @param timeoutMs the request's own timeout
 */
export function scrapeSteps(timeoutMs: number) {
  return proxyActivities<Pick<Activities, 'scrapePage'>>({
    startToCloseTimeout: timeoutMs + DOCUMENT_OVERTIME_MS + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: 3, initialInterval: '1s', backoffCoefficient: 2 },
  });
}

/**
 * Scrapes a page without an activity that Temporal schedules. If the worker dies meanwhile, the workflow
 * task times out after ten seconds, and another worker runs it.
 */
export const untrackedSteps = proxyLocalActivities<Pick<Activities, 'beginPage'>>({
  // It returns within about a second. A process whose event loop is blocked for longer fails the workflow
  // task.
  scheduleToCloseTimeout: '1m',
  retry: { maximumAttempts: 1 },
});

/**
 * The activity that maps one site, with the same retries as `scrapeSteps`.
 * @param timeoutMs the request's own timeout
 */
export function mapSteps(timeoutMs: number) {
  return proxyActivities<Pick<Activities, 'mapSite'>>({
    startToCloseTimeout: timeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: 3, initialInterval: '1s', backoffCoefficient: 2 },
  });
}

/**
 * The activities of a search, with the same retries as `scrapeSteps`.
 * @param timeoutMs the request's own timeout
 */
export function searchSteps(timeoutMs: number) {
  return proxyActivities<Pick<Activities, 'findResults' | 'addDocuments'>>({
    startToCloseTimeout: timeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: 3, initialInterval: '1s', backoffCoefficient: 2 },
  });
}

/**
 * Retries of activities that must not be lost. The first retry comes soon, in case the process was lost. The
 * pauses then grow to ten seconds, for example while the database is unavailable.
 */
const PERSISTENT = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** Short operations on the database, which are retried until it is available again. */
export const bookkeeping = proxyActivities<
  Pick<Activities, 'recordFailure' | 'retuneJob' | 'isPaused' | 'endJob' | 'summarizeJob'>
>({
  startToCloseTimeout: '30s',
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});

/** The activity that writes a backup, which may take hours; its worker reads and writes all the time. */
export const backupSteps = proxyActivities<Pick<Activities, 'writeDailyBackup'>>({
  startToCloseTimeout: '12h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1m', backoffCoefficient: 2, maximumAttempts: 5 },
});

/**
 * The activity that scrapes pages of batches and crawls. It is retried for up to 24 hours, so that no job is
 * lost because of a temporary failure.
 */
const pageWorkerActivities = proxyActivities<Pick<Activities, 'scrapePages'>>({
  taskQueue: QUEUES.pages,
  allowEagerDispatch: false,
  // A page may be claimed just before the page worker stops claiming, take five minutes, and be a document
  // that waits for a parser for 20 minutes and is converted for 20 minutes more.
  startToCloseTimeout: '1h',
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 10_000 },
});

/** The activity `scrapePages`, with what the Temporal UI shows of it. */
export const pageWorkers = {
  scrapePages: (input: Parameters<Activities['scrapePages']>[0], summary: string) =>
    pageWorkerActivities.scrapePages.executeWithOptions({ summary }, [input]),
};

/**
 * The activities that read a site's robots.txt before its pages are scraped, and its sitemaps while they
 * are.
 */
const discoverySteps = proxyActivities<Pick<Activities, 'prepareCrawl' | 'readSitemaps'>>({
  taskQueue: QUEUES.pages,
  allowEagerDispatch: false,
  startToCloseTimeout: '15m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});

/** The activities that find the pages of a crawl, with the names that the Temporal UI shows. */
export const discovery = {
  prepareCrawl: (jobId: string) =>
    discoverySteps.prepareCrawl.executeWithOptions({ summary: 'robots.txt' }, [jobId]),
  readSitemaps: (jobId: string) =>
    discoverySteps.readSitemaps.executeWithOptions({ summary: 'Sitemaps' }, [jobId]),
};

/** The activity that delivers webhook events. */
export const deliveries = proxyActivities<Pick<Activities, 'deliverWebhooks'>>({
  taskQueue: QUEUES.webhooks,
  allowEagerDispatch: false,
  // A round takes five seconds, and deliveries that are then under way may take ten more.
  startToCloseTimeout: '1m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 10_000 },
});

/** The activity that sends mails: a round sends up to 25 of them, and a mail server may be slow. */
export const mailSteps = proxyActivities<Pick<Activities, 'sendMails'>>({
  taskQueue: QUEUES.webhooks,
  allowEagerDispatch: false,
  startToCloseTimeout: '20m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 10_000 },
});

/** The scrape that a session continues may take five minutes. */
const LONGEST_START = '6m';

/** The activities by which a session begins and ends. Any host of sessions may start its browser. */
const sessionStarts = proxyActivities<Pick<Activities, 'startSession'>>({
  taskQueue: QUEUES.sessions,
  allowEagerDispatch: false,
  scheduleToStartTimeout: '15s',
  startToCloseTimeout: LONGEST_START,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3, initialInterval: '200ms', backoffCoefficient: 2 },
});
const sessionBookkeeping = proxyActivities<Pick<Activities, 'settleSession' | 'findOtherHost'>>({
  startToCloseTimeout: '30s',
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});
export const sessionSteps = {
  startSession: sessionStarts.startSession,
  settleSession: sessionBookkeeping.settleSession,
  findOtherHost: sessionBookkeeping.findOtherHost,
};

/** A timeout that is longer than the longest lifetime of a session. */
const LONGEST_SESSION = '2h';

/**
 * The activities that run on the host of a session. A host that does not begin them has died, so they are not
 * repeated.
 * @param queue the task queue of the host's process
 */
export function hostSteps(queue: string) {
  const options = {
    taskQueue: queue,
    allowEagerDispatch: false,
    scheduleToStartTimeout: '10s',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: 1 },
  } as const;
  const { keepSession } = proxyActivities<Pick<Activities, 'keepSession'>>({
    ...options,
    startToCloseTimeout: LONGEST_SESSION,
  });
  const { stopSession } = proxyActivities<Pick<Activities, 'stopSession'>>({
    ...options,
    startToCloseTimeout: '30s',
  });
  const { startSession } = proxyActivities<Pick<Activities, 'startSession'>>({
    ...options,
    // A host that lives takes it at once, and the user waits.
    scheduleToStartTimeout: '3s',
    startToCloseTimeout: LONGEST_START,
  });
  return { startSession, keepSession, stopSession };
}

/**
 * The activities that answer a support question. Its client waits for at most a minute, so they are tried for
 * no longer.
 */
const supportActivities = proxyActivities<
  Pick<
    Activities,
    'consultTool' | 'explainJob' | 'prepareTrial' | 'judgeTrial' | 'phraseAnswer' | 'concludeSupport'
  >
>({
  taskQueue: QUEUES.models,
  allowEagerDispatch: false,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '1m',
  retry: { ...PERSISTENT, maximumAttempts: 100 },
});

/** Activities that read the facts of a support answer. */
export const supportTools = ['job', 'usage', 'activity', 'docs'] as const satisfies SupportTool[];

/** The activities of a support question, with the names that the Temporal UI shows. */
export const supportSteps = {
  explainJob: supportActivities.explainJob,
  prepareTrial: supportActivities.prepareTrial,
  judgeTrial: supportActivities.judgeTrial,
  phraseAnswer: supportActivities.phraseAnswer,
  concludeSupport: supportActivities.concludeSupport,
  consultTool: (jobId: string, tool: SupportTool) =>
    supportActivities.consultTool.executeWithOptions({ summary: tool }, [jobId, tool]),
};

/** The activity that asks a model about the prompt of a crawl, for which a client waits. */
export const previewSteps = proxyActivities<Pick<Activities, 'previewCrawl'>>({
  taskQueue: QUEUES.models,
  allowEagerDispatch: false,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '1m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 100 },
});

/** The activity that looks into what checks of a monitor have found, for which a client waits. */
export const reviewSteps = proxyActivities<Pick<Activities, 'reviewMonitor'>>({
  taskQueue: QUEUES.models,
  allowEagerDispatch: false,
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 100 },
});

/** The turns of agents, in which a model may be asked. */
const agentTurns = proxyActivities<Pick<Activities, 'takeTurn'>>({
  taskQueue: QUEUES.models,
  allowEagerDispatch: false,
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  // Each attempt may ask the model again.
  retry: { ...PERSISTENT, maximumAttempts: 5 },
});
const agentBookkeeping = proxyActivities<Pick<Activities, 'finishCall' | 'endRun'>>({
  taskQueue: QUEUES.models,
  allowEagerDispatch: false,
  startToCloseTimeout: '1m',
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});

/** The activities of agents and extracts, with the names that the Temporal UI shows. */
export const agentSteps = {
  takeTurn: (jobId: string, turn: number) =>
    agentTurns.takeTurn.executeWithOptions({ summary: `Turn ${turn + 1}` }, [jobId, turn]),
  finishCall: (jobId: string, sequence: number, label: string) =>
    agentBookkeeping.finishCall.executeWithOptions({ summary: label }, [jobId, sequence]),
  endRun: agentBookkeeping.endRun,
};

/** The activities of checks of monitors. A round of upkeep restarts a check whose workflow fails for good. */
const checkSteps = proxyActivities<Pick<Activities, 'beginCheck' | 'endCheck'>>({
  startToCloseTimeout: '1m',
  retry: { ...PERSISTENT, maximumAttempts: 1_000 },
});
const collectSteps = proxyActivities<Pick<Activities, 'collectPages'>>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 100 },
});
const judgeSteps = proxyActivities<Pick<Activities, 'judgePages'>>({
  taskQueue: QUEUES.models,
  allowEagerDispatch: false,
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumAttempts: 100 },
});
export const monitorSteps = {
  beginCheck: checkSteps.beginCheck,
  endCheck: checkSteps.endCheck,
  collectPages: collectSteps.collectPages,
  judgePages: judgeSteps.judgePages,
};

/** The activities of upkeep. If a round fails, the next one makes up for it. */
export const upkeepSteps = proxyActivities<
  Pick<Activities, 'findStalled' | 'findOverdue' | 'restoreMonitors' | 'tidyUp'>
>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...PERSISTENT, maximumInterval: '60s', maximumAttempts: 10_000 },
});
