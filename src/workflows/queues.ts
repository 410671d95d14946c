/** The task queues; each is served by the workers of its role (`WINNOW_WORKER_ROLES`). */
export const QUEUES = {
  /** All workflows, what somebody waits for, and short bookkeeping. */
  scrape: 'scrape',
  /** Lanes of batches and crawls. */
  pages: 'pages',
  /** Deliveries. */
  webhooks: 'webhooks',
} as const;

/** What a worker may be for; the same names as its queue. */
export type WorkerRole = keyof typeof QUEUES;
