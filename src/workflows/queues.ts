/**
 * The task queues. Each is served by the workers that have the role of the same name
 * (`WINNOW_WORKER_ROLES`).
 */
export const QUEUES = {
  /** All workflows, the activities of scrapes and maps, short operations on the database, and upkeep. */
  scrape: 'scrape',
  /** Page workers of batches and crawls, and the discovery of crawls. */
  pages: 'pages',
  /** Deliveries of webhook events. */
  webhooks: 'webhooks',
  /** Starts of browser sessions. All else of a session is on the queue of its host's process. */
  sessions: 'sessions',
  /** Work that waits for a language model, or may wait for one: it delays no page. */
  models: 'models',
} as const;

/** The roles of a worker. Each role has the name of its queue. */
export type WorkerRole = keyof typeof QUEUES;
