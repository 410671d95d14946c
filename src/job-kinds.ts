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
}

/**
 * Every kind of job, by the name in its row, which is also its `endpoint` in the activity list. Workflows import this
 * file, so it must stay free of other imports.
 */
export const JOB_KINDS = {
  scrape: { path: '/v2/scrape', noun: 'scrape', workflow: 'scrape', priority: 1, hasPages: false },
  map: { path: '/v2/map', noun: 'map', workflow: 'map', priority: 1, hasPages: false },
  batch_scrape: {
    path: '/v2/batch/scrape',
    noun: 'batch',
    workflow: 'batch',
    priority: 4,
    hasPages: true,
  },
  crawl: { path: '/v2/crawl', noun: 'crawl', workflow: 'crawl', priority: 5, hasPages: true },
  browser: {
    path: '/v2/browser',
    noun: 'browser session',
    workflow: 'browser',
    priority: 1,
    hasPages: false,
  },
  interact: {
    path: '/v2/interact',
    noun: 'interact session',
    workflow: 'browser',
    priority: 1,
    hasPages: false,
  },
} as const satisfies Record<string, JobKindRecord>;

export type JobKind = keyof typeof JOB_KINDS;

/** The kinds of jobs that consist of pages. */
export type PageJobKind = {
  [Kind in JobKind]: (typeof JOB_KINDS)[Kind]['hasPages'] extends true ? Kind : never;
}[JobKind];

/** The kinds of jobs that are browser sessions: one of its own, or one that continues a scrape. */
export type SessionKind = 'browser' | 'interact';

/** The word for a batch or crawl. */
export type PageJobNoun = (typeof JOB_KINDS)[PageJobKind]['noun'];

/** The id of the workflow that runs a job. */
export const workflowIdOf = (kind: JobKind, jobId: string) => `${JOB_KINDS[kind].workflow}/${jobId}`;
