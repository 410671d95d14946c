import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import tar from 'tar-stream';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkBackup, readArchive } from '../../src/backup/archive-reader.ts';
import { openBackupFile } from '../../src/backup/places/open-place.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import { withSnapshot } from '../../src/storage/db/backup/snapshot.ts';
import { unlessBackedUp } from '../../src/storage/db/backup/sweep-lock.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { listKnownMigrations, migrate, migrateWithin } from '../../src/storage/db/migrate.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { makeTeam, openEmptyDatabase } from '../support/storage/database.ts';

/** `winnow backup` and `winnow restore` between databases and directories, as in a cluster. */

type Place = Awaited<ReturnType<typeof openEmptyDatabase>> & { dataDir: string };

const WINNOW = path.join(import.meta.dirname, '..', '..', 'bin', 'winnow.js');
const SECRET = 'the secret of these tests';
let root: string;
let source: Place;
let db: Database;
let backup: string;
const ids = { team: '', scrape: randomUUID(), open: randomUUID(), hidden: randomUUID(), crawl: randomUUID() };
const blobs = { result: '', large: '', hidden: '' };

const makePlace = async (): Promise<Place> =>
  Object.assign(await openEmptyDatabase(), { dataDir: await mkdtemp(path.join(root, 'data-')) });

const run = (place: Place, args: string[], settings: Record<string, string> = {}) =>
  runInProcess(args, {
    settings: {
      DATABASE_URL: place.url,
      WINNOW_DATA_DIR: place.dataDir,
      WINNOW_SECRET_KEY: SECRET,
      ...settings,
    },
  });

/** Runs statements on a database of a place, and closes it, because a restore wants it for itself. */
async function on<T>(place: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const own = place.open();
  return work(own).finally(() => own.close());
}

async function storeJob(id: string, job: { kind: string; status: string; wrapped_key?: Buffer }) {
  await db.query
    .insertInto('jobs')
    .values({
      id,
      team_id: ids.team,
      api_key_id: null,
      target: `https://example.com/${id}`,
      request: '{}',
      expires_at: new Date(Date.now() + 3_600_000),
      ...job,
      status: job.status as 'scraping',
    })
    .execute();
}

const storedFiles = async (place: Place) => {
  const names = await readdir(path.join(place.dataDir, 'blobs'), { recursive: true }).catch(() => []);
  return names.filter((name) => /[0-9a-f]{2}.[0-9a-f]{62}$/.test(name)).sort();
};

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'winnow-backups-'));
  source = await makePlace();
  db = source.open();
  await migrate(db);
  ids.team = (await makeTeam(db)).id;
  await storeJob(ids.scrape, { kind: 'scrape', status: 'completed' });
  await storeJob(ids.open, { kind: 'scrape', status: 'scraping' });
  await storeJob(ids.hidden, { kind: 'scrape', status: 'completed', wrapped_key: Buffer.from('wrapped') });
  await storeJob(ids.crawl, { kind: 'crawl', status: 'scraping' });
  await db.query.insertInto('job_progress').values({ job_id: ids.crawl, team_id: ids.team }).execute();
  const results = await openBlobs(path.join(source.dataDir, 'blobs'), 'results');
  const noise = Buffer.from(Array.from({ length: 3_000_000 }, () => Math.random() * 256));
  blobs.result = await results.put(Buffer.from('a result'));
  blobs.large = await results.put(noise);
  blobs.hidden = await results.put(Buffer.from('a hidden result'));
  const rows = [
    { job_id: ids.scrape, ordinal: 0, blob: blobs.result },
    { job_id: ids.scrape, ordinal: 1, blob: blobs.large },
    { job_id: ids.scrape, ordinal: 2, blob: ids.scrape, small: Buffer.from([0, 9, 10, 13, 92, 255]) },
    { job_id: ids.hidden, ordinal: 0, blob: blobs.hidden },
  ];
  await db.query.insertInto('results').values(rows).execute();
  await db.query
    .insertInto('credit_entries')
    .values([ids.scrape, ids.hidden].map((job_id) => ({ job_id, ordinal: 0, ...billed() })))
    .execute();
  await writeFile(path.join(source.dataDir, 'admin-key'), 'admin-of-the-source\n');
  backup = path.join(root, 'backup.tar');
  const written = await run(source, ['backup', backup]);
  expect(written.exitCode, written.stderr).toBe(0);
  expect(written.stdout).toMatch(/backup\.tar has 3 jobs and [23]\.\d MiB\./);
});
const billed = () => ({ team_id: ids.team, api_key_id: null, credits: 1 });

afterAll(async () => {
  await db.close();
  await source[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** All indexes and constraints. */
async function describeTables({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(`
    select indexdef as text from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated
      from pg_constraint where connamespace = 'public'::regnamespace
    order by text`);
  expect(rows.length).toBeGreaterThan(100);
  return rows.map(({ text }) => text);
}

/** The names of all files of a backup, and the text of one. */
async function readBackup(file: string, wanted?: string) {
  const names: string[] = [];
  let text = '';
  for await (const { name, content } of readArchive(await openBackupFile(file))) {
    names.push(name);
    for await (const bytes of content) if (name === wanted) text += Buffer.from(bytes).toString();
  }
  return { names, text };
}

/** Copies a backup with one file changed. */
async function alter(name: string, change: (bytes: Buffer) => Buffer | undefined): Promise<string> {
  const altered = path.join(root, `altered-${randomUUID()}.tar`);
  const pack = tar.pack();
  const parts: Buffer[] = [];
  const read = (async () => {
    for await (const part of pack) parts.push(part as Buffer);
  })();
  for await (const file of readArchive(await openBackupFile(backup))) {
    const chunks: Uint8Array[] = [];
    for await (const bytes of file.content) chunks.push(bytes);
    const content = Buffer.concat(chunks);
    const changed = file.name === name ? change(content) : content;
    if (changed) pack.entry({ name: file.name, mtime: file.storedAt }, changed);
  }
  pack.finalize();
  await read;
  await writeFile(altered, Buffer.concat(parts));
  return altered;
}

describe('a backup', () => {
  it('is a file that only its user can read, with a manifest at its end', async () => {
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    const { names, text } = await readBackup(backup, 'manifest.json');
    expect(names[0]).toBe('winnow-backup.json');
    expect(names.at(-1)).toBe('manifest.json');
    const { rows, sections } = JSON.parse(text);
    expect(rows).toMatchObject({ jobs: { count: 3 }, results: { count: 3 }, credit_entries: { count: 2 } });
    expect(sections['blobs/results']).toMatchObject({ files: 2 });
    expect(await readdir(root)).not.toContain('backup.tar.part');
  });

  it('has neither the rows nor the files of jobs with zero data retention', async () => {
    const { names } = await readBackup(backup);
    expect(names).toContain(`blobs/results/${blobs.result}`);
    expect(names).not.toContain(`blobs/results/${blobs.hidden}`);
    expect(names).toContain('keys/admin-key');
  });

  it('has no keys with --without-keys', async () => {
    const file = path.join(root, 'without-keys.tar');
    expect(await run(source, ['backup', file, '--without-keys'])).toMatchObject({ exitCode: 0 });
    const { names } = await readBackup(file);
    expect(names.filter((name) => name.startsWith('keys/'))).toEqual([]);
    expect(names).toContain(`blobs/results/${blobs.large}`);
  });

  it('keeps files from being deleted until it has them', async () => {
    const deleted: string[] = [];
    const remove = () => unlessBackedUp(db, async () => deleted.push('a file'));
    await withSnapshot(
      db,
      async () => {
        expect(await remove()).toBeUndefined();
      },
      async () => {
        expect(await remove()).toBeUndefined();
      },
    );
    expect(deleted).toEqual([]);
    await expect.poll(remove).toBe(1);
  });

  it('that fails before its file is open leaves nothing', async () => {
    const source = new Readable({
      read() {
        this.destroy(new Error('the source has failed'));
      },
    });
    const file = await openBackupFile(path.join(root, 'failing.tar'));
    await expect(file.write(source)).rejects.toThrow('the source has failed');
    expect((await readdir(root)).filter((name) => name.startsWith('failing'))).toEqual([]);
  });

  it('of a place without data or to a place that cannot be written is refused', async () => {
    await using empty = await makePlace();
    const file = path.join(root, 'none.tar');
    const without = await run(empty, ['backup', file]);
    expect(without).toMatchObject({ exitCode: 2 });
    expect(without.stderr).toContain('no tables of Winnow');
    const unwritable = await run(source, ['backup', path.join(root, 'missing', 'backup.tar')]);
    expect(unwritable).toMatchObject({ exitCode: 2 });
    expect(unwritable.stderr).toMatch(/missing\/backup\.tar cannot be written: ENOENT/);
    const names = await readdir(root);
    expect(names.filter((name) => name.startsWith('none.tar'))).toEqual([]);
  });
});

describe('a restore', () => {
  it('fills an empty place with all rows, files and keys', async () => {
    await using place = await makePlace();
    const restored = await run(place, ['restore', backup]);
    expect(restored.exitCode, restored.stderr).toBe(0);
    expect(restored.stderr).not.toContain('secret key');
    expect(restored.stdout).toMatch(/Restored 3 jobs as of 20/);
    await on(place, async ({ query }) => {
      const results = await query.selectFrom('results').selectAll().orderBy('ordinal').execute();
      expect(results.map(({ blob }) => blob)).toEqual([blobs.result, blobs.large, ids.scrape]);
      expect(results[2]?.small).toEqual(Buffer.from([0, 9, 10, 13, 92, 255]));
      const team = await query.selectFrom('teams').selectAll().where('id', '=', ids.team).execute();
      expect(team).toEqual(
        await db.query.selectFrom('teams').selectAll().where('id', '=', ids.team).execute(),
      );
      const entries = await query.selectFrom('credit_entries').select('job_id').execute();
      expect(entries.map(({ job_id }) => job_id).sort()).toEqual([ids.scrape, ids.hidden].sort());
    });
    const stored = await openBlobs(path.join(place.dataDir, 'blobs'), 'results');
    expect((await stored.get(blobs.result)).toString()).toBe('a result');
    expect(await stored.get(blobs.large)).toHaveLength(3_000_000);
    expect(await readFile(path.join(place.dataDir, 'admin-key'), 'utf8')).toBe('admin-of-the-source\n');
    // A process that starts on it finds nothing to migrate.
    expect(await on(place, migrate)).toEqual([]);
    expect(await on(place, describeTables)).toEqual(await describeTables(db));
  });

  it('ends scrapes that ran with a code that says so, and lets crawls go on', async () => {
    await using place = await makePlace();
    await run(place, ['restore', backup]);
    await on(place, async ({ query }) => {
      const jobs = await query.selectFrom('jobs').select(['id', 'status', 'error']).execute();
      expect(jobs.find(({ id }) => id === ids.open)).toMatchObject({
        status: 'failed',
        error: { code: 'LOST_IN_RESTORE', message: expect.stringContaining('Send the request again') },
      });
      expect(jobs.find(({ id }) => id === ids.crawl)).toMatchObject({ status: 'scraping', error: null });
      const [progress] = await query.selectFrom('job_progress').select('touched_at').execute();
      expect(progress?.touched_at).toEqual(new Date(0));
    });
  });

  it('of a place with jobs needs --force, and replaces them with it', async () => {
    await using place = await makePlace();
    await run(place, ['restore', backup]);
    await on(place, ({ query }) =>
      query.updateTable('jobs').set({ target: 'changed' }).where('id', '=', ids.scrape).execute(),
    );
    const refused = await run(place, ['restore', backup]);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('--force');
    expect(await targetIn(place)).toBe('changed');
    expect(await run(place, ['restore', backup, '--force'])).toMatchObject({ exitCode: 0 });
    expect(await targetIn(place)).toBe(`https://example.com/${ids.scrape}`);
  });
  const targetIn = (place: Place) =>
    on(place, async ({ query }) => {
      const row = await query
        .selectFrom('jobs')
        .select('target')
        .where('id', '=', ids.scrape)
        .executeTakeFirst();
      return row?.target;
    });

  it('migrates an older backup', async () => {
    await using older = await makePlace();
    const last = (await listKnownMigrations()).at(-6) ?? '';
    await on(older, async ({ pool }) => {
      const client = await pool.connect();
      await migrateWithin(client, { schema: 'public', last });
      client.release();
    });
    await on(older, ({ query }) =>
      sql`insert into teams (name, credits_remaining) values ('of old', 7)`.execute(query),
    );
    const file = path.join(root, 'older.tar');
    expect(await run(older, ['backup', file])).toMatchObject({ exitCode: 0 });
    await using place = await makePlace();
    expect(await run(place, ['restore', file])).toMatchObject({ exitCode: 0 });
    expect(await on(place, migrate)).toEqual([]);
    const teams = await on(place, ({ query }) => query.selectFrom('teams').select('name').execute());
    expect(teams).toEqual([{ name: 'of old' }]);
  });

  it('tells that the secret key is another one', async () => {
    await using place = await makePlace();
    const restored = await run(place, ['restore', backup], { WINNOW_SECRET_KEY: 'another secret' });
    expect(restored).toMatchObject({ exitCode: 0 });
    expect(restored.stderr).toContain('The secret key of this service is not that of the backup');
  });

  it('leaves what was there when a part of it fails', async () => {
    await using place = await makePlace();
    await on(place, migrate);
    await on(place, ({ query }) => sql`insert into teams (name) values ('there')`.execute(query));
    await mkdir(path.join(place.dataDir, 'blobs'));
    // A file where a directory has to be: the results are stored, and then the versions fail.
    await writeFile(path.join(place.dataDir, 'blobs', 'versions'), 'in the way');
    const versions = await openBlobs(path.join(source.dataDir, 'blobs'), 'versions');
    await versions.put(Buffer.from('a version'));
    const file = path.join(root, 'with-versions.tar');
    await run(source, ['backup', file]);
    const failed = await run(place, ['restore', file]);
    expect(failed.exitCode).not.toBe(0);
    const teams = await on(place, ({ query }) => query.selectFrom('teams').select('name').execute());
    expect(teams).toEqual([{ name: 'there' }]);
    expect(await storedFiles(place)).toEqual([]);
    expect(await readdir(place.dataDir)).toEqual(['blobs']);
  });

  it('of a data directory whose service runs, or that is being restored, is refused', async () => {
    const { dataDir } = inject('service');
    const refused = await runInProcess(['restore', backup, '--force'], {
      settings: { WINNOW_DATA_DIR: dataDir },
    });
    expect(refused.stderr).toMatch(
      /^Another process of Winnow has the data directory .*Stop it, or wait for its end/m,
    );
    expect(refused.exitCode).toBe(2);
  });

  it('that is interrupted leaves what was there', async () => {
    await using place = await makePlace();
    const interrupt = new AbortController();
    const file = await openBackupFile(backup);
    const checked = await checkBackup(file, () => undefined);
    const blobsOfPlace = path.join(place.dataDir, 'blobs');
    const restoring = on(place, (own) =>
      restoreBackup(file, checked, {
        db: own,
        blobs: blobsOfPlace,
        force: false,
        signal: interrupt.signal,
        onProgress: (part) => part.startsWith('blobs') && interrupt.abort(),
      }),
    );
    await expect(restoring).rejects.toMatchObject({ name: 'AbortError' });
    expect(await storedFiles(place)).toEqual([]);
    expect(
      await on(place, ({ pool }) => pool.query('select from pg_tables where tablename = $1', ['jobs'])),
    ).toMatchObject({ rowCount: 0 });
  });

  it('of a database that others use, or that is being restored, is refused', async () => {
    await using place = await makePlace();
    const other = place.open();
    const client = await other.pool.connect();
    const used = await run(place, ['restore', backup]);
    expect(used).toMatchObject({ exitCode: 2 });
    expect(used.stderr).toContain('The database is in use: it has 1 other connections');
    await client.query(`select pg_advisory_lock(hashtextextended('winnow: a backup is restored', 0))`);
    const second = await run(place, ['restore', backup]);
    expect(second.stderr).toContain('Another restore works on the same database');
    client.release(true);
    await other.close();
  });
});

/** Mounts a small disk at $0 that only this shell sees, and runs what follows. */
const ON_SMALL_DISK = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const MOUNT = 'mount -t tmpfs -o size=1m none "$0"';

describe('on a disk that is too small,', () => {
  const runOnSmallDisk = async (place: Place, script: string) => {
    const disk = await mkdtemp(path.join(root, 'disk-'));
    // By TCP: another user owns the socket.
    const url = new URL(place.url);
    url.search = '';
    return spawnSync('unshare', [...ON_SMALL_DISK, `${MOUNT} && ${script}`, disk, process.execPath, WINNOW], {
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: url.href, WINNOW_DATA_DIR: place.dataDir, BACKUP: backup },
    });
  };
  const requireMounts = async (skip: (condition: boolean, reason: string) => void) => {
    const { status } = await runOnSmallDisk(source, 'true');
    skip(status !== 0, 'This machine allows no mounts in user namespaces.');
  };

  it('a backup says so, and leaves nothing', async ({ skip }) => {
    await requireMounts(skip);
    const { stdout, stderr } = await runOnSmallDisk(
      source,
      '"$1" "$2" backup "$0/x.tar"; echo "$?"; ls -A "$0"',
    );
    expect(stderr).toMatch(
      /^There is not enough room for the backup on the disk of .*x\.tar\. Free space, or choose/m,
    );
    expect(stdout).toMatch(/^[1-9]\d*\n$/);
  });

  it('a restore says how much is missing, before it begins', async ({ skip }) => {
    await requireMounts(skip);
    await using place = await makePlace();
    const script = 'WINNOW_BLOBS="$0/blobs" "$1" "$2" restore "$BACKUP"; echo "$?"; ls -A "$0"';
    const { stdout, stderr } = await runOnSmallDisk(place, script);
    expect(stderr).toMatch(
      /^The backup needs about 3 MiB on the disk of .*, which has 1 MiB left\. Nothing was changed\./m,
    );
    expect(stdout).toMatch(/^[1-9]\d*\n$/);
    expect(
      await on(place, ({ pool }) => pool.query('select from pg_tables where tablename = $1', ['jobs'])),
    ).toMatchObject({ rowCount: 0 });
  });
});

describe('a file that cannot be restored is refused with one sentence, before anything is changed:', () => {
  const cases: [string, () => Promise<string>, RegExp][] = [
    [
      'one that does not exist',
      async () => path.join(root, 'absent.tar'),
      /absent\.tar cannot be read: ENOENT/,
    ],
    [
      'a text',
      () => written('a text'.repeat(1000)),
      /is not a backup of Winnow\. Give a file that the command backup/,
    ],
    ['an empty file', () => written(''), /is not a backup of Winnow\./],
    [
      'a tar of another program',
      () => alter('winnow-backup.json', () => undefined),
      /is not a backup of Winnow\./,
    ],
    ['one that was cut off', () => cut(0.6), /cannot be restored: it was cut off/],
    [
      'one without its end',
      () => alter('manifest.json', () => undefined),
      /cannot be restored: it was cut off/,
    ],
    [
      'one with other bytes in a blob',
      () => alter(`blobs/results/${blobs.result}`, (bytes) => Buffer.alloc(bytes.length, 1)),
      /its part blobs\/results was altered/,
    ],
    [
      'one with other rows',
      () => alter('tables/jobs/000001.zst', (bytes) => Buffer.concat([bytes, Buffer.from([0])])),
      /its part tables\/jobs was altered/,
    ],
    [
      'one with another header',
      () =>
        alter('winnow-backup.json', (bytes) => Buffer.from(`${bytes.toString().replace(/0\.\d/, '0.9')} `)),
      /its part winnow-backup\.json was altered/,
    ],
    [
      'one of a format to come',
      () =>
        alter('winnow-backup.json', (bytes) =>
          Buffer.from(bytes.toString().replace('"formatVersion":1', '"formatVersion":2')),
        ),
      /whose backups this version cannot read/,
    ],
  ];
  const written = async (text: string) => {
    const file = path.join(root, `written-${randomUUID()}`);
    await writeFile(file, text);
    return file;
  };
  const cut = async (share: number) => {
    const file = await alter('', () => undefined);
    await truncate(file, Math.round((await stat(file)).size * share));
    return file;
  };

  it.each(cases)('%s', async (_name, make, message) => {
    await using place = await makePlace();
    const { exitCode, stderr } = await run(place, ['restore', await make()]);
    const lines = stderr.trim().split('\n');
    // A busy machine may show that it still checks the backup.
    expect(lines.filter((line) => !line.startsWith('Checking'))).toEqual([expect.stringMatching(message)]);
    expect(exitCode).toBe(2);
    expect(await readdir(place.dataDir)).toEqual([]);
  });

  it('one of a newer version', async () => {
    await using newer = await makePlace();
    await on(newer, migrate);
    await on(newer, ({ query }) =>
      sql`insert into kysely_migration (name, timestamp) values ('9999-to-come', '')`.execute(query),
    );
    const file = path.join(root, 'newer.tar');
    expect(await run(newer, ['backup', file])).toMatchObject({ exitCode: 0 });
    await using place = await makePlace();
    const { exitCode, stderr } = await run(place, ['restore', file]);
    expect(stderr).toMatch(/^The backup was made by Winnow .*, whose database is newer/m);
    expect(exitCode).toBe(2);
  });
});
