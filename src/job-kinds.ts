/** The names of a kind of job in the API, in Temporal and in messages. */
interface JobKindRecord {
  /** Path of the resource in the API. */
  path: string;
  /** The word for one such job in messages and in the CLI. */
  noun: string;
  /** Workflow type, which is also the first part of every workflow id. */
  workflow: string;
  /** Priority of its tasks in Temporal, 1 (first) to 5 (last). */
  priority: number;
  /** The job consists of pages that are rows of their own, as batches and crawls do. */
  hasPages: boolean;
  /** Whether the activity list shows such jobs. */
  isListed: boolean;
}

/**
 * Every kind of job, by the name in its row, which is also its `endpoint` in the activity list. Workflows
 * import this file, so it must stay free of other imports.
 */
export const JOB_KINDS = {
  scrape: {
    path: '/v2/scrape',
    noun: 'scrape',
    workflow: 'scrape',
    priority: 1,
    hasPages: false,
    isListed: true,
  },
  map: { path: '/v2/map', noun: 'map', workflow: 'map', priority: 1, hasPages: false, isListed: true },
  search: {
    path: '/v2/search',
    noun: 'search',
    workflow: 'search',
    priority: 1,
    hasPages: false,
    isListed: true,
  },
  batch_scrape: {
    path: '/v2/batch/scrape',
    noun: 'batch',
    workflow: 'batch',
    priority: 4,
    hasPages: true,
    isListed: true,
  },
  crawl: { path: '/v2/crawl', noun: 'crawl', workflow: 'crawl', priority: 5, hasPages: true, isListed: true },
  browser: {
    path: '/v2/browser',
    noun: 'browser session',
    workflow: 'browser',
    priority: 1,
    hasPages: false,
    isListed: true,
  },
  interact: {
    path: '/v2/interact',
    noun: 'interact session',
    workflow: 'browser',
    priority: 1,
    hasPages: false,
    isListed: true,
  },
  extract: {
    path: '/v2/extract',
    noun: 'extract',
    workflow: 'extract',
    priority: 3,
    hasPages: false,
    isListed: true,
  },
  agent: {
    path: '/v2/agent',
    noun: 'agent',
    workflow: 'agent',
    priority: 3,
    hasPages: false,
    isListed: true,
  },
  preview: {
    path: '/v2/crawl/params-preview',
    noun: 'preview',
    workflow: 'preview',
    priority: 2,
    hasPages: false,
    isListed: false,
  },
  support: {
    path: '/v2/support/ask',
    noun: 'support question',
    workflow: 'support',
    priority: 2,
    hasPages: false,
    isListed: false,
  },
  review: {
    path: '/v2/monitor',
    noun: 'question about a monitor',
    workflow: 'review',
    priority: 2,
    hasPages: false,
    isListed: false,
  },
  monitor: {
    path: '/v2/monitor',
    noun: 'check of a monitor',
    workflow: 'monitor',
    priority: 4,
    hasPages: false,
    isListed: false,
  },
} as const satisfies Record<string, JobKindRecord>;

export type JobKind = keyof typeof JOB_KINDS;

/** The kinds of jobs that the activity list shows. */
export const LISTED_KINDS = (Object.keys(JOB_KINDS) as JobKind[]).filter((kind) => JOB_KINDS[kind].isListed);

/** The kinds of jobs that consist of pages. */
export type PageJobKind = {
  [Kind in JobKind]: (typeof JOB_KINDS)[Kind]['hasPages'] extends true ? Kind : never;
}[JobKind];

/** The kinds of jobs that are browser sessions: one of its own, or one that continues a scrape. */
export type SessionKind = 'browser' | 'interact';

/** The kind of job that checks a monitor: it lasts as long as the jobs that it consists of. */
export type CheckKind = 'monitor';

/**
 * The kinds of jobs that are neither lists of pages, nor browser sessions, nor checks of monitors. Each of them
 * ends within minutes.
 */
export type TaskKind = Exclude<JobKind, PageJobKind | SessionKind | CheckKind>;

const LONG_KINDS: readonly JobKind[] = ['browser', 'interact', 'monitor'];

export const TASK_KINDS = (Object.keys(JOB_KINDS) as JobKind[]).filter(
  (kind): kind is TaskKind => !JOB_KINDS[kind].hasPages && !LONG_KINDS.includes(kind),
);

/** The kinds of jobs in which a model, or rules in its place, work step by step. */
export type AgentKind = 'agent' | 'extract';

/** The word for a batch or crawl. */
export type PageJobNoun = (typeof JOB_KINDS)[PageJobKind]['noun'];

/** The id of the workflow that runs a job. */
export const workflowIdOf = (kind: JobKind, jobId: string) => `${JOB_KINDS[kind].workflow}/${jobId}`;

/** The id of the Temporal Schedule of a monitor. */
export const scheduleIdOf = (monitorId: string) => `monitor/${monitorId}`;

/** The id of the workflow that sends the mails of a monitor. */
export const mailWorkflowIdOf = (monitorId: string) => `mails/${monitorId}`;

/** The id of the workflow that delivers the webhook events of a job. */
export const deliveryWorkflowIdOf = (jobId: string) => `webhooks/${jobId}`;
