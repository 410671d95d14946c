import type { LeasedJob } from '../../storage/db/jobs/jobs.ts';

/** What the workflow of a scrape, map or search is started with. Everything else is in the database. */
export interface JobStart {
  jobId: string;
  teamId: string;
  timeoutMs: number;
  /** The text that the Temporal UI shows for the page; absent if nothing of the page may be shown. */
  label?: string;
  /**
   * Whether the scrape may end within a second, because it does not begin in the browser. Absent in older
   * histories.
   */
  isQuick?: boolean;
  /** The requested URL; absent for a search, and if nothing of the page may be shown. */
  url?: string;
  /** The name of the file, if the job parses one. */
  file?: string;
}

/** A stored scrape that the worker of the same machine is to start directly, without a workflow. */
export interface DirectStart {
  start: JobStart;
  /** Its job, if it has got a slot, or waits for one, already. */
  job?: LeasedJob | undefined;
  /** The trace of the request; absent if there is none. */
  traceparent?: string | undefined;
}

/** A direct start that the worker took: the document as it is stored, or none if the workflow was started. */
export interface DirectResult {
  document?: Buffer;
}

/**
 * Starts a scrape directly. It returns `undefined` if the worker does not respond, and may have started
 * nevertheless.
 */
export type StartDirectly = (scrape: DirectStart) => Promise<DirectResult | undefined>;

/**
 * What the worker responds, by the outcome of a scrape, and who then does what:
 *
 * | outcome                                 | status | workflow                                                      |
 * | --------------------------------------- | ------ | ------------------------------------------------------------- |
 * | ended with a document                   | 200    | is recorded as ended, after the response                      |
 * | ended without one, or failed            | 202    | started by the worker; joins the scrape and records the error |
 * | runs, and its workflow has started      | 202    | started by the worker; joins the scrape                       |
 * | the worker cannot say                   | 503    | started by the API                                            |
 * | the worker is silent for ten seconds    | none   | started by the API                                            |
 */
export const STATUS = { document: 200, workflow: 202, unknown: 503 } as const;
