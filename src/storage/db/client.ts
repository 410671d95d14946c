import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { Client, Pool, types } from 'pg';
import { codeOf, ServiceError } from '../../errors.ts';
import { prepareStatements } from './prepared-statements.ts';
import type { Tables } from './tables.ts';

// By default pg returns bigint as text. Our values, such as credits, are small enough to be exact as
// numbers.
types.setTypeParser(types.builtins.INT8, Number);

/** Access to Postgres, shared by all queries of the process. */
export interface Database {
  readonly query: Kysely<Tables>;
  readonly pool: Pool;
  /**
   * Resolves when the database serves a new connection, whose statements call functions, as requests do.
   * Concurrent calls share one connection.
   */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A connection pool or a transaction, in which statements run. */
export type Queryable = Database['query'];

/** Passes a list as one array parameter of a statement. @param type the Postgres type of the items */
export const arrayParameter = (values: unknown[], type: string): RawBuilder<unknown> =>
  sql`${values}::${sql.raw(type)}[]`;

/**
 * A column in the rows of a statement that lets its commit, or that of the transaction around it, end before
 * it is on the disk. A crash of Postgres or of its machine may take what it has stored. A statement without
 * rows waits for the disk nevertheless.
 */
export const UNSYNCED_COMMIT = sql`set_config('synchronous_commit', 'off', true)`;

/**
 * Creates a connection pool, which connects at the first query.
 * @param url `postgres://…`
 * @param onError called when an idle connection breaks, which the pool replaces by itself
 * @example
 * const db = openDatabase(url, (error) => logger.warn({ err: error }, 'database connection lost'));
 * const teams = await db.query.selectFrom('teams').selectAll().execute();
 */
export function openDatabase(url: string, onError: (error: Error) => void): Database {
  // JIT is off, because compiling a statement to machine code takes longer than running any of ours.
  const pool = new Pool({
    connectionString: url,
    max: 20,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: '-c jit=off',
  });
  pool.on('error', onError);
  // A connection may break between two statements of a transaction. The next statement then fails. Without
  // this listener, the unhandled error event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', prepareStatements);
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  let probe: Promise<void> | undefined;
  return {
    query,
    pool,
    ready() {
      probe ??= probeDatabase(url).finally(() => {
        probe = undefined;
      });
      return probe;
    },
    close: () => query.destroy(),
  };
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Has a new connection run a statement in plpgsql. Connections of the pool may still work where new ones cannot
 * load the library of that language, because Postgres was upgraded and not started again.
 */
async function probeDatabase(url: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  // A connection that breaks is also reported by the statement under way.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('do $$ begin perform 1; end $$');
  } finally {
    await client.end();
  }
}

/**
 * A Unix socket does not exist after Postgres was stopped, and refuses for a moment when many connect at
 * once.
 */
const UNAVAILABLE_SOCKET_CODES = new Set(['ENOENT', 'EAGAIN']);

/** Codes of Node.js and of Postgres (SQLSTATE) which mean that the connection was lost or refused. */
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08001',
]);

/** Messages of Postgres about a library of another version than its programs, or of none. */
const REPLACED_LIBRARY = /^(could not load library|could not access file|incompatible library) "/;

/**
 * Turns the error of a lost connection, and that of a database whose programs were replaced, into
 * `SERVICE_UNAVAILABLE`. Any other error is returned unchanged.
 */
export function translateDatabaseError(error: unknown): unknown {
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  if (REPLACED_LIBRARY.test(message))
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      'The database cannot load one of its libraries, because its programs were replaced. Try again in a few seconds. If that does not help, its operator has to start Postgres again.',
      { retryAfterSeconds: 5, cause: error },
    );
  if (
    UNAVAILABLE_CODES.has(code) ||
    (UNAVAILABLE_SOCKET_CODES.has(code) && isConnectError(error)) ||
    /Connection terminated|not queryable|timeout exceeded when trying to connect/.test(message)
  ) {
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      'The database does not respond. Try again in a few seconds.',
      {
        retryAfterSeconds: 2,
        cause: error,
      },
    );
  }
  return error;
}

/** Files are missing, too; only the system call tells their errors from those of a connection. */
const isConnectError = (error: unknown) =>
  error instanceof Error && 'syscall' in error && error.syscall === 'connect';
