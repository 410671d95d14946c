import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { addKey, changeTeam, createTeam, makeKey, type TeamChange } from '../../src/db/teams.ts';
import { runningDatabaseUrl } from '../../src/embedded/postgres.ts';

/** The shared instance's own database; to be closed by whoever opened it. */
export function openTestDatabase(): Database {
  return openDatabase(runningDatabaseUrl(inject('service').dataDir), (error) => {
    throw error;
  });
}

/** A team beside the first one, with one key, which is named `first`. */
export interface TestTeam {
  id: string;
  name: string;
  key: string;
}

/** Makes a team of its own for a test. @param change what sets it apart from a usual one without a limit of credits */
export async function makeTeam(db: Database, change: TeamChange = {}): Promise<TestTeam> {
  const name = `team-${randomUUID()}`;
  const id = await createTeam(db, name, null);
  await changeTeam(db, name, { credits: null, ...change });
  return { id, name, key: await giveKey(db, id, 'first') };
}

/** Gives a team another key. */
export async function giveKey(db: Database, teamId: string, name: string): Promise<string> {
  const key = makeKey();
  await addKey(db, teamId, name, key);
  return key;
}
