import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, inject } from 'vitest';
import { codeOf } from '../../../src/errors.ts';
import { runningDatabaseUrl } from '../../../src/run/embedded/postgres.ts';
import { DEFAULT_VISITOR } from '../../../src/schemas/session.ts';
import { type Database, openDatabase, type Queryable } from '../../../src/storage/db/client.ts';
import { migrate } from '../../../src/storage/db/migrate.ts';
import { insertSession, type NewSession } from '../../../src/storage/db/sessions.ts';
import { generateKey } from '../../../src/storage/db/teams/generate-key.ts';
import { addKey, changeTeam, createTeam, type TeamChange } from '../../../src/storage/db/teams/teams.ts';
import { createSessionSalt } from '../../../src/system/encryption/session-secrets.ts';
import type { ServiceAccess } from '../service/start-service.ts';
import { pollUntil } from '../suite/poll.ts';

/** The code of Postgres for a database that has connections. */
const DATABASE_IN_USE = '55006';

/** Opens the database of a running service, by default of the shared one; the caller closes it. */
export function openTestDatabase({ dataDir }: Pick<ServiceAccess, 'dataDir'> = inject('service')): Database {
  return openDatabase(runningDatabaseUrl(dataDir), (error) => {
    throw error;
  });
}

/**
 * Gives a test file the database of the shared service. It connects at the first query, and closes after the
 * last test.
 * @example
 * const db = useDatabase();
 * const rows = await db.query.selectFrom('jobs').selectAll().execute();
 */
export function useDatabase(): Database {
  const db = openTestDatabase();
  afterAll(() => db.close());
  return db;
}

/**
 * Gives a test file a database of its own on the Postgres server of the shared service. No service works on it,
 * so nothing restarts, ends or deletes the jobs that a test stores without a workflow.
 */
export function useOwnDatabase(): Database {
  const own = planDatabase();
  const db = own.open();
  beforeAll(async () => {
    await own.create();
    await migrate(db);
  });
  afterAll(async () => {
    await db.close();
    await own.drop();
  });
  return db;
}

/**
 * Creates an empty database on the Postgres server of the shared service, and drops it when it is disposed
 * of.
 */
export async function openEmptyDatabase() {
  const { url, open, create, drop } = planDatabase();
  await create();
  return { url, open, [Symbol.asyncDispose]: drop };
}

/** A database on the Postgres server of the shared service, which does not exist before `create`. */
function planDatabase() {
  const name = `empty_${randomUUID()}`;
  const url = new URL(runningDatabaseUrl(inject('service').dataDir));
  url.pathname = `/${name}`;
  const onServer = async (statement: RawBuilder<unknown>) => {
    const server = openTestDatabase();
    await statement.execute(server.query).finally(() => server.close());
  };
  return {
    url: url.href,
    open: () =>
      openDatabase(url.href, (error) => {
        throw error;
      }),
    create: () => onServer(sql`create database ${sql.id(name)}`),
    // A connection that was closed keeps the database for a moment.
    drop: async () => {
      await pollUntil(() =>
        onServer(sql`drop database ${sql.id(name)}`).then(
          () => true,
          (error) => {
            if (codeOf(error) !== DATABASE_IN_USE) throw error;
            return false;
          },
        ),
      );
    },
  };
}

/** A team beside the first one, with one key, which is named `first`. */
export interface TestTeam {
  id: string;
  name: string;
  key: string;
}

/**
 * Makes a team of its own for a test.
 * @param change what sets it apart from a usual one without a limit of credits
 * @example
 * const team = await makeTeam(db, { concurrency: 1 });
 * const id = await startJob('/v2/batch/scrape', { urls }, team);
 */
export async function makeTeam(db: Database, change: TeamChange = {}): Promise<TestTeam> {
  const name = `team-${randomUUID()}`;
  const id = await createTeam(db, name, null);
  await changeTeam(db, name, { credits: null, ...change });
  return { id, name, key: await giveKey(db, id, 'first') };
}

/** Gives a team another key. */
export async function giveKey(db: Database, teamId: string, name: string): Promise<string> {
  const key = generateKey();
  await addKey(db, teamId, name, key);
  return key;
}

/** Stores a browser session that no host has opened yet. @param change what sets it apart from a usual one */
export async function storeSession(
  query: Queryable,
  teamId: string,
  change: Partial<NewSession> = {},
): Promise<string> {
  const { id } = await insertSession(query, {
    id: randomUUID(),
    teamId,
    apiKeyId: null,
    kind: 'browser',
    target: 'a session',
    salt: createSessionSalt(),
    ttlSeconds: 3_600,
    activityTtlSeconds: 3_600,
    streamWebView: true,
    isRecorded: false,
    visitor: DEFAULT_VISITOR,
    keptMs: 3_600_000,
    ...change,
  });
  return id;
}
