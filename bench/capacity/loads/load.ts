import type { Database } from '../../../src/storage/db/client.ts';
import { createLogger } from '../../../src/system/logger.ts';

/** The shared parts, as a generator of load reaches them. */
export interface SharedParts {
  databaseUrl: string;
  /** `host:port` of the Temporal server. */
  temporalAddress: string;
  /** The namespace of this generator alone, so that no other one takes its tasks. */
  namespace: string;
  /** Path of the bundle of all workflows. */
  bundle: string;
  /** A text that no other generator of the run has. */
  name: string;
}

/** What one simulated worker does again and again. @returns the number of operations that this was */
export type Work = () => Promise<number>;

/** A kind of load in a generator. */
export interface Load {
  /** Prepares one more simulated worker. @param number counts from 0 */
  addWorker(number: number): Promise<Work>;
  close(): Promise<void>;
}

export const createBenchLogger = () => createLogger('capacity', 'error');

/**
 * Adds a team without limits that simulated workers could reach, unless it exists. A scrape looks for a free slot among
 * all that its team has, so these are no more than those of large teams.
 * @returns its id
 */
export async function addTeam({ query }: Database, name: string): Promise<string> {
  const { id } = await query
    .insertInto('teams')
    .values({ name, credits_remaining: 1_000_000_000, concurrency: 1_000, sessions: 1_000 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
