import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastOutputLines, runCommand } from '../../../src/run/embedded/command.ts';
import { preparePostgres } from '../../../src/run/embedded/postgres.ts';

/**
 * The data of a Postgres that has never run, which services start on copies of: creating them takes a second
 * of processor time.
 */
export interface EmptyPostgres {
  /** A data directory of the service, without anything else in it. */
  directory: string;
  remove(): Promise<void>;
}

/**
 * Creates the data as the first start of a service does.
 * @throws ServiceError if Postgres cannot create them
 */
export async function createEmptyPostgres(): Promise<EmptyPostgres> {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-empty-postgres-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    // Started by root, Postgres runs as another user, which needs to pass through the directory.
    await chmod(directory, 0o711);
    // The port is of the server, which is not started here.
    await preparePostgres({ dataDir: directory, port: 0 });
    return { directory, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Copies the data with their owner. @throws Error if that fails */
export async function copyPostgres(from: string, dataDir: string): Promise<void> {
  const copied = await runCommand('cp', [
    '-a',
    ...['postgres', 'postgres-password'].map((name) => path.join(from, name)),
    dataDir,
  ]);
  if (copied.exitCode !== 0) throw new Error(`Postgres was not copied: ${lastOutputLines(copied)}`);
}
