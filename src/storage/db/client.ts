import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import { Client, Pool, type PoolConfig, types } from 'pg';
import { codeOf, ServiceError } from '../../errors.ts';
import { fitInMemory } from '../../system/memory.ts';
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
   * Connections that may be silent for hours: for migrations, deletions, backups and their locks. A network that
   * loses them without a word is noticed only by TCP itself.
   */
  readonly patient: Pick<Database, 'query' | 'pool'>;
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
 * Connections of a process whose settings do not say another number. Each has a process of Postgres, which keeps
 * 4 to 6 MiB of tables and plans.
 */
const MAX_CONNECTIONS = 20;
/** With 1 GB there are 8 connections of each process, from 2.2 GB on all. */
const CONNECTION_SIZE = { eachMb: 96, besideMb: 256 };

/**
 * Creates a connection pool, which connects at the first query.
 * @param url `postgres://…`
 * @param onError called when an idle connection breaks, which the pool replaces by itself
 * @param options.connections most connections at once where there is memory for them, without the patient ones
 * @param options.silentMs milliseconds without a byte after which a connection is given up
 * @example
 * const db = openDatabase(url, (error) => logger.warn({ err: error }, 'database connection lost'));
 * const teams = await db.query.selectFrom('teams').selectAll().execute();
 */
export function openDatabase(
  url: string,
  onError: (error: Error) => void,
  { connections = MAX_CONNECTIONS, silentMs = SILENT_MS }: { connections?: number; silentMs?: number } = {},
): Database {
  const open = (options: PoolConfig) => {
    const pool = createPool(url, options);
    pool.on('error', onError);
    return { pool, query: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) };
  };
  const { pool, query } = open({
    max: fitInMemory(connections, CONNECTION_SIZE),
    stream: () => createImpatientSocket(silentMs),
    options: `${SESSION_OPTIONS} -c idle_in_transaction_session_timeout=${IDLE_TRANSACTION_MS}`,
  });
  const patient = open({ max: MAX_PATIENT_CONNECTIONS, options: SESSION_OPTIONS });
  let probe: Promise<void> | undefined;
  return {
    query,
    pool,
    patient,
    ready() {
      probe ??= probeDatabase(url).finally(() => {
        probe = undefined;
      });
      return probe;
    },
    async close() {
      await Promise.all([query.destroy(), patient.query.destroy()]);
    },
  };
}

/** The same database, all of whose statements may take long, see {@link Database.patient}. */
export const patiently = (db: Database): Database => ({ ...db, ...db.patient });

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Milliseconds without a byte in either direction after which a connection is given up: a network may lose it without
 * a word. Each statement of a request or a page takes a fraction of that.
 */
const SILENT_MS = 20_000;
/**
 * Milliseconds after which Postgres ends a transaction whose client says nothing, so that its locks do not outlive a
 * connection that the network has lost.
 */
const IDLE_TRANSACTION_MS = 30_000;
/** Work that takes long is done by few at a time: a migration, a round of upkeep, a backup. */
const MAX_PATIENT_CONNECTIONS = 4;
/** Milliseconds without a byte after which TCP asks whether the other side is still there. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Settings of each session. JIT is off, because compiling a statement to machine code takes longer than running any of
 * ours. Postgres notices within half a minute, not two hours, that a client is gone.
 */
const SESSION_OPTIONS = [
  'jit=off',
  `tcp_keepalives_idle=${KEEP_ALIVE_MS / 1_000}`,
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=4',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

function createPool(url: string, options: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...options,
  });
  // A connection may break between two statements of a transaction. The next statement then fails. Without
  // this listener, the unhandled error event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', prepareStatements);
  pool.on('connect', (client) => translateErrorsOf(client, 'query'));
  translateErrorsOf(pool, 'connect');
  translateErrorsOf(pool, 'query');
  return pool;
}

/** Makes a method that returns a promise reject with what {@link translateDatabaseError} makes of its errors. */
function translateErrorsOf<Method extends string>(
  target: Record<Method, (...parameters: never[]) => unknown>,
  method: Method,
): void {
  const call = target[method];
  Object.assign(target, {
    [method](...parameters: unknown[]) {
      const response: unknown = Reflect.apply(call, target, parameters);
      return response instanceof Promise ? response.catch(throwTranslated) : response;
    },
  });
}

const throwTranslated = (error: unknown) => {
  throw translateDatabaseError(error);
};

/** A socket that fails after so many milliseconds without a byte. The pool closes idle connections before. */
function createImpatientSocket(silentMs: number): Socket {
  const socket = new Socket();
  const message = `There was no byte from the database for ${silentMs / 1_000} s.`;
  return socket.setTimeout(silentMs, () =>
    socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' })),
  );
}

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
  } catch (error) {
    throw translateDatabaseError(error);
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
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Ended by the administrator, by a crash, or not started yet.
  '57P01',
  '57P02',
  '57P03',
  // A transaction whose client said nothing for too long.
  '25P03',
  '53300',
  '08006',
  '08001',
]);

/** What a database that responds, but takes no changes, means for clients and the operator, by its SQLSTATE. */
const NO_CHANGES: Record<string, string> = {
  '25006':
    'The database takes no changes at the moment, as one that is being replaced by its standby. Try again in a few seconds.',
  '53100':
    'The disk of the database is full, so nothing can be stored. Its operator has to make room; try again later.',
};

/** Messages of Postgres about a library of another version than its programs, or of none. */
const REPLACED_LIBRARY = /^(could not load library|could not access file|incompatible library) "/;

/**
 * Turns the error of a lost connection, and that of a database which takes no changes or whose programs were replaced,
 * into `SERVICE_UNAVAILABLE`. Any other error is returned unchanged.
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
  if (NO_CHANGES[code] !== undefined)
    return new ServiceError('SERVICE_UNAVAILABLE', NO_CHANGES[code], { retryAfterSeconds: 10, cause: error });
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
