import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postgresDir, preparePostgres, runningDatabaseUrl } from '../../../src/run/embedded/postgres.ts';
import { findClosedDirectory, findPostgresPrograms } from '../../../src/run/embedded/postgres-programs.ts';
import type { ProcessId } from '../../../src/run/embedded/supervision/process-identity.ts';
import { SupervisedProcess } from '../../../src/run/embedded/supervision/supervised-process.ts';
import { openDatabase, translateDatabaseError } from '../../../src/storage/db/client.ts';
import { reserveServerPort } from '../../support/network/server-port.ts';

const isRoot = process.getuid?.() === 0;
const created: string[] = [];
let dataDir: string;
let part: SupervisedProcess | undefined;
let current: ProcessId | undefined;

function openDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'winnow-pg-'));
  // As root the server runs as another user.
  chmodSync(directory, 0o755);
  created.push(directory);
  return directory;
}
beforeEach(() => {
  dataDir = openDirectory();
});
afterEach(() => part?.stop());
afterAll(() => {
  for (const directory of created) rmSync(directory, { recursive: true, force: true });
});

async function start(port?: number, systemRoot?: string): Promise<string> {
  const { plan, url } = await preparePostgres({
    dataDir,
    port: port ?? (await reserveServerPort()).port,
    ...(systemRoot !== undefined && { systemRoot }),
  });
  part = new SupervisedProcess(plan, {
    onProcess: (child) => {
      current = child;
    },
    onNotice: () => undefined,
  });
  await part.start();
  return url;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A connection that breaks is told twice: here, and by the query that was under way.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('data survives a stop, and a kill of the server with active clients', async () => {
  const first = await start();
  await query(first, 'create table kept (id int primary key)');
  await query(first, 'insert into kept values (1)');
  await part?.stop();
  expect(current).toBeUndefined();
  const refused = await query(first, 'select 1').catch(translateDatabaseError);
  expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: 'ENOENT' } });

  const second = await start();
  await query(second, 'insert into kept values (2)');
  const busy = query(second, 'select pg_sleep(30)').catch((error: Error) => error.message);
  const sleepers = "select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep%'";
  await expect.poll(() => query(second, sleepers)).toEqual([{ n: 1 }]);
  const killed = current?.pid ?? 0;
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => current !== undefined && current.pid !== killed).toBe(true);
  await expect
    .poll(() => query(second, 'select id from kept order by id').catch(() => []))
    .toEqual([{ id: 1 }, { id: 2 }]);
  expect(await busy).toMatch(/terminat|reset|closed/i);
});

const CONNECTION = 'select inet_server_addr()::text as address';

test('connections use a Unix socket that only the owner of the data reaches, even after a killed server left one', async () => {
  const port = (await reserveServerPort()).port;
  dataDir = join(dataDir, 'a "quoted", named');
  mkdirSync(dataDir);
  const url = await start(port);
  expect(await query(url, CONNECTION)).toEqual([{ address: null }]);
  expect(await query(url.replace(/\?.*/, ''), CONNECTION)).toEqual([{ address: '127.0.0.1/32' }]);
  expect(runningDatabaseUrl(dataDir)).toBe(url);
  expect(statSync(postgresDir(dataDir)).mode & 0o077).toBe(0);
  await part?.stop();

  // A killed server leaves these, and its pid may belong to any program of the same user since.
  const { uid, gid } = statSync(postgresDir(dataDir));
  const other = spawn('sleep', ['600'], { uid, gid });
  writeFileSync(join(postgresDir(dataDir), `.s.PGSQL.${port}`), '');
  writeFileSync(join(postgresDir(dataDir), `.s.PGSQL.${port}.lock`), `${other.pid}\n${dataDir}\n`);
  try {
    expect(await query(await start(port), CONNECTION)).toEqual([{ address: null }]);
  } finally {
    other.kill();
  }
});

test('connections use TCP when the path of the data is too long for a Unix socket', async () => {
  dataDir = join(dataDir, 'x'.repeat(70));
  mkdirSync(dataDir);
  const url = await start();
  expect(await query(url, CONNECTION)).toEqual([{ address: '127.0.0.1/32' }]);
  expect(runningDatabaseUrl(dataDir)).toBe(url);
});

test('a missing file is not reported as a missing database', () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' });
  expect(translateDatabaseError(missing)).toBe(missing);
});

test('Postgres listens on loopback, requires the password, stores it privately, and uses UTF-8', async () => {
  const url = await start();
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
  const shown = await query(
    url,
    `select current_setting('listen_addresses') as at, current_setting('server_encoding') as enc,
    current_setting('fsync') as fsync, current_setting('lc_collate', true) as collate`,
  );
  expect(shown[0]).toMatchObject({ at: '127.0.0.1', enc: 'UTF8', fsync: 'on' });
  expect(readdirSync(dataDir).filter((name) => name.includes('.new'))).toEqual([]);
});

test.runIf(isRoot)('a data directory inside an inaccessible one is an error that names it', async () => {
  chmodSync(dataDir, 0o700);
  const inside = join(dataDir, 'deep');
  const prepared = preparePostgres({ dataDir: inside, port: 1 });
  await expect(prepared).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(dataDir),
  });
});

test('an inaccessible directory on the path to a program is found', () => {
  const nobody = { uid: 65534, gid: 65534 };
  expect(findClosedDirectory('/usr/bin', nobody)).toBeUndefined();
  chmodSync(dataDir, 0o700);
  expect(findClosedDirectory(join(dataDir, 'a', 'b'), nobody)).toBe(dataDir);
});

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
/** A statement that makes Postgres load a library. */
const IN_PLPGSQL = 'do $$ begin perform 1; end $$';

const isPlpgsql = (path: unknown) => String(path).endsWith('plpgsql.so');

/** Installs the machine's Postgres below another root. @returns the root, and its library of plpgsql */
function installPostgres(): { root: string; library: string } {
  const root = openDirectory();
  const { files, major } = findPostgresPrograms(join(root, 'no-data'));
  for (const part of files.parts) cpSync(join(files.root, part), join(root, part), { recursive: true });
  return { root, library: join(root, 'lib/postgresql', major, 'lib/plpgsql.so') };
}

describe.runIf(existsSync(DEBIAN_POSTGRES))('an upgrade of Postgres on the machine', () => {
  test('does not change the running one, which even restarts when the old version is gone', async () => {
    const { root, library } = installPostgres();
    const url = await start(undefined, root);
    writeFileSync(library, 'a library of another build');
    await query(url, IN_PLPGSQL);

    rmSync(join(root, 'lib'), { recursive: true });
    const killed = current?.pid ?? 0;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => current !== undefined && current.pid !== killed).toBe(true);
    await expect.poll(() => query(url, IN_PLPGSQL).catch(String)).toEqual([]);

    await part?.stop();
    await query(await start(undefined, root), IN_PLPGSQL);
  });

  test('is taken over by the next start, which deletes the copy of the older version', async () => {
    const { root, library } = installPostgres();
    await start(undefined, root);
    await part?.stop();
    const [older] = readdirSync(`${postgresDir(dataDir)}-programs`);
    const newer = `${library}.dpkg-new`;
    cpSync(library, newer);
    renameSync(newer, library);
    await query(await start(undefined, root), IN_PLPGSQL);
    const copies = readdirSync(`${postgresDir(dataDir)}-programs`);
    expect(copies).toHaveLength(1);
    expect(copies).not.toContain(older);
  });

  test('costs nothing but another copy, if a machine without power left the last one without content', async () => {
    const { root } = installPostgres();
    await start(undefined, root);
    await part?.stop();
    const [copy = ''] = readdirSync(`${postgresDir(dataDir)}-programs`);
    const [major = ''] = readdirSync(join(root, 'lib/postgresql'));
    truncateSync(join(`${postgresDir(dataDir)}-programs`, copy, 'lib/postgresql', major, 'lib/plpgsql.so'));
    await query(await start(undefined, root), IN_PLPGSQL);
  });

  test('makes a database that runs its own programs not ready, and a request to it SERVICE_UNAVAILABLE', async () => {
    const url = await start();
    const db = openDatabase(url, () => undefined);
    try {
      await db.ready();
      const copies = `${postgresDir(dataDir)}-programs`;
      const [copy = ''] = readdirSync(copies);
      const name = String(readdirSync(join(copies, copy), { recursive: true }).find(isPlpgsql));
      writeFileSync(`${join(copies, copy, name)}.dpkg-new`, 'a library of another build');
      renameSync(`${join(copies, copy, name)}.dpkg-new`, join(copies, copy, name));
      await query(url, 'select 1');
      const unloadable = {
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('cannot load one of its libraries'),
      };
      await expect(db.ready()).rejects.toMatchObject(unloadable);
      await expect(db.pool.query(IN_PLPGSQL)).rejects.toMatchObject(unloadable);
    } finally {
      await db.close();
    }
  });
});
