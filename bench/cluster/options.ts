import type { Progress } from '../../src/embedded/terminal-progress.ts';

/** How a cluster is started. */
export interface ClusterOptions {
  /** Where everything is kept; a temporary directory when not given. */
  dataDir?: string | undefined;
  /** Variables of docker-compose.yml, as its `.env` would have them; keys and passwords are made when not given. */
  env?: Record<string, string>;
  /** How many API processes; 2. */
  apis?: number;
  /** WINNOW_WORKER_ROLES of each worker, empty for all roles; by default three workers with one role each. */
  workers?: string[];
  /** Blobs in a bucket, as in docker-compose.yml; else in a directory that all share. */
  bucket?: boolean;
  /** Where news of the parts are told; stderr when not given. */
  progress?: Progress;
  /** Calls the start off; what it started is ended before it rejects. */
  signal?: AbortSignal;
  /** Ends every part at once, at any time. */
  kill?: AbortSignal;
}
