import type { Progress } from '../../src/run/embedded/terminal-progress.ts';

/** The services that depend on others. */
export type Linked = 'api' | 'worker' | 'temporal';
/** The services that others depend on. */
export type Dependency = 'postgres' | 'temporal' | 'blobs';

/** The options of a cluster. */
export interface ClusterOptions {
  /** Directory of all data; by default a temporary one. */
  dataDir?: string | undefined;
  /** Variables of docker-compose.yml, as in its `.env`. Missing keys and passwords are generated. */
  env?: Record<string, string>;
  /** Number of API processes; 2 by default. */
  apis?: number;
  /**
   * WINNOW_WORKER_ROLES of each worker, where empty means all roles; by default six workers with one role
   * each, two of them `sessions`.
   */
  workers?: string[];
  /** Directory of the checkout whose APIs and workers are started; by default this one. */
  checkout?: string | undefined;
  /** Whether blobs are in an S3 bucket, as in docker-compose.yml; otherwise in a shared directory. */
  bucket?: boolean;
  /**
   * Puts something between the processes of a service and one that they depend on, a proxy for example.
   * @param port where `to` listens
   * @returns the port at which the processes find it
   */
  link?: (from: Linked, to: Dependency, port: number) => Promise<number>;
  /** More variables of the environment of an API or worker, by its name (`api-1`, `worker-2`). */
  settingsOf?: (name: string) => Record<string, string>;
  /** Receives progress messages; stderr by default. */
  progress?: Progress;
  /** Aborts the start. The processes that were started are stopped before the promise rejects. */
  signal?: AbortSignal;
  /** Kills all processes at once, at any time. */
  kill?: AbortSignal;
}
