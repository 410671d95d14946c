/** A job as `GET /v2/jobs` lists it. */
export interface ListedJob {
  id: string;
  kind: string;
  status: JobStatus;
  paused: boolean;
  target: string | null;
  apiKey: string | null;
  createdAt: string;
  finishedAt: string | null;
  creditsUsed: number;
  pages: { total: number; completed: number; failed: number } | null;
  /** With which the page of a scrape answered. */
  statusCode: number | null;
  error: { code: string; message: string } | null;
}

export type JobStatus = 'scraping' | 'completed' | 'failed' | 'cancelled';

/** The names of kinds of jobs, by their names in the API. */
export const KIND_TITLES: Record<string, string> = {
  scrape: 'Scrape',
  crawl: 'Crawl',
  batch_scrape: 'Batch',
  map: 'Map',
  search: 'Search',
  extract: 'Extract',
  agent: 'Agent',
  browser: 'Browser',
  interact: 'Interact',
};

/** The states of a job as people name them, by their names in the API. */
export const STATE_TITLES: Record<JobStatus, string> = {
  scraping: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};
