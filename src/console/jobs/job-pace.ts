/** The pace of a batch or crawl, as `GET …/hosts` returns it. */
export interface JobPace {
  limit: number | null;
  maxConcurrency: number | null;
  delay: number | null;
  /** How many documents there were at a time. */
  progress: { documents: number; at: string }[];
  hosts: {
    host: string;
    requests: number;
    averageMs: number | null;
    pausedUntil: string | null;
    robotsUntil: string | null;
  }[];
}
