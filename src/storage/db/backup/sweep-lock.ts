import type { PoolClient } from 'pg';
import type { Database } from '../client.ts';

/** Keys of advisory locks in Postgres, which end with the transaction or connection that holds them. */
const SWEEP_LOCK = "hashtextextended('winnow: files are swept', 0)";
const RESTORE_LOCK = "hashtextextended('winnow: a backup is restored', 0)";

/**
 * Keeps upkeep from deleting files while work runs. Waits while it is doing so. The lock is that of a
 * transaction, because a pooler may give each transaction another connection.
 */
export async function whileNotSwept<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const client = await db.patient.pool.connect();
  try {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock_shared(${SWEEP_LOCK})`);
    return await work();
  } finally {
    // The transaction has changed nothing.
    client.release(true);
  }
}

/** Takes the lock of restores until the connection ends. @returns `false` if another restore has it */
export async function takeRestoreLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(${RESTORE_LOCK}) as taken`,
  );
  return rows[0]?.taken ?? false;
}

/**
 * Runs work that deletes stored files, unless a backup copies them at the moment.
 * @returns `undefined` if the work did not run
 */
export async function unlessBackedUp<T>(db: Database, work: () => Promise<T>): Promise<T | undefined> {
  const client = await db.patient.pool.connect();
  let isBroken = true;
  try {
    await client.query('begin');
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as taken`,
    );
    const result = rows[0]?.taken ? await work() : undefined;
    await client.query('commit');
    isBroken = false;
    return result;
  } finally {
    // A connection that fails takes the lock with it.
    client.release(isBroken);
  }
}
