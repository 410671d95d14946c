import { randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { findCacheEntries } from '../../../src/storage/db/cache/cache-entries.ts';
import { sumCachedBytes } from '../../../src/storage/db/cache/cache-files.ts';
import type { Database } from '../../../src/storage/db/client.ts';
import { summarizeJob } from '../../../src/storage/db/jobs/job-summary.ts';
import { readPageJobState } from '../../../src/storage/db/jobs/read-page-job-state.ts';
import { CONTRACT, migrate } from '../../../src/storage/db/migrate.ts';
import { releaseClaims } from '../../../src/storage/db/pages/claims.ts';
import { addSkipped, listSkipped } from '../../../src/storage/db/pages/skipped-urls.ts';
import { generateKey } from '../../../src/storage/db/teams/generate-key.ts';
import {
  ensureFirstTeam,
  findCaller,
  findFirstTeam,
  findTeam,
  listKeys,
} from '../../../src/storage/db/teams/teams.ts';
import { readQueue } from '../../../src/storage/db/teams/usage-reports.ts';
import { NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';
import { openEmptyDatabase } from '../../support/storage/database.ts';

it('several processes that start at once create the schema and the first team once', async () => {
  await using empty = await openEmptyDatabase();
  const processes = [empty.open(), empty.open(), empty.open()];
  try {
    const ran = await Promise.all(processes.map(migrate));
    expect(ran.flat().filter((name) => name === '0001-spine')).toHaveLength(1);
    expect(await migrate(processes[0]!)).toEqual([]);

    const db = processes[0]!;
    const [key, newKey] = [generateKey(), generateKey()];
    await Promise.all(processes.map((each) => ensureFirstTeam(each, key, 10)));
    const first = await findCaller(db, key);
    expect(first).toMatchObject({ creditsRemaining: 10, creditsPlanned: 10, concurrency: 50 });
    expect((await findFirstTeam(db))?.teamId).toBe(first?.teamId);

    // A key given anew replaces the old one; credits that are left stay.
    await ensureFirstTeam(db, newKey, 99);
    expect(await findCaller(db, key)).toBeUndefined();
    expect(await findCaller(db, newKey)).toMatchObject({ teamId: first?.teamId, creditsRemaining: 10 });
    expect(await listKeys(db, (await findTeam(db, 'default')).id)).toHaveLength(1);
  } finally {
    await Promise.all(processes.map((each) => each.close()));
  }
});

/** Brings a database to an earlier schema. */
async function migrateTo(db: Database, name: string): Promise<void> {
  const migrationFolder = path.join(import.meta.dirname, '../../../migrations');
  const provider = new FileMigrationProvider({ fs, path, migrationFolder });
  const { error } = await new Migrator({ db: db.query, provider }).migrateTo(name);
  if (error) throw error;
}

it('a database with a crawl under way and copies in the cache keeps them through an upgrade', async () => {
  await using empty = await openEmptyDatabase();
  const db = empty.open();
  try {
    await migrateTo(db, '0005-page-versions');
    const [team, job, ended] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
      string,
      string,
      string,
    ];
    const pack = 'ab'.repeat(32);
    await sql`insert into teams (id, name) values (${team}, 'old')`.execute(db.query);
    for (const [id, status] of [
      [job, 'scraping'],
      [ended, 'completed'],
    ]) {
      await sql`insert into jobs (id, team_id, kind, request, status, expires_at)
        values (${id}, ${team}, 'crawl', '{}', ${status}, now() + interval '1 day')`.execute(db.query);
      await sql`insert into job_progress (job_id, team_id, page_limit, known, admitted, completed)
        values (${id}, ${team}, 10, 2, 1, 1)`.execute(db.query);
      await sql`insert into pages (job_id, ordinal, team_id, url, host, status, position, blob, bytes_end)
        values (${id}, 0, ${team}, 'http://a.test/', 'a.test', 'completed', 1, ${pack}, 10)`.execute(
        db.query,
      );
      await sql`insert into pages (job_id, ordinal, team_id, url, host, status, lane)
        values (${id}, 1, ${team}, 'http://a.test/b', 'a.test', 'claimed', 'worker/1')`.execute(db.query);
      for (const url of ['http://a.test/x', 'http://a.test/y'])
        await sql`insert into blocked_urls (job_id, url) values (${id}, ${url})`.execute(db.query);
    }
    await sql`insert into cache_entries (key, fetched_at, blob) values
      ('a', now() - interval '1 day', ${`${pack}+0+100`}), ('b', now(), ${`${pack}+100+50`})`.execute(
      db.query,
    );

    await migrate(db);

    expect(await sumCachedBytes(db)).toBe(150);
    for (const id of [job, ended]) {
      expect(await readPageJobState(db, id)).toMatchObject({ blocked: 2, completed: 1, total: 2 });
      const { blocked, homepages } = await listSkipped(db, id);
      expect([blocked.toSorted(), homepages]).toEqual([['http://a.test/x', 'http://a.test/y'], []]);
      expect(await summarizeJob(db, id)).toMatchObject({ completed: 1, skipped: { 'robots.txt': 2 } });
    }
    // The crawl goes on: what a page worker had claimed is claimed again, and what it knew not counted again.
    await releaseClaims(db, { jobId: job, workerPrefix: 'worker/', isWorkerLost: true });
    const { status } = await db.query
      .selectFrom('pages')
      .select('status')
      .where('job_id', '=', job)
      .where('ordinal', '=', 1)
      .executeTakeFirstOrThrow();
    expect(status).toBe('pending');
    const blocked = ['http://a.test/y', 'http://a.test/z'];
    await addSkipped(db.query, job, { blocked, homepages: ['http://b.test/'] }, NULL_CIPHER);
    expect(await readPageJobState(db, job)).toMatchObject({ blocked: 3 });
    expect((await listSkipped(db, job)).homepages).toMatchObject([{ url: 'http://b.test/' }]);
    expect(await readQueue(db, team)).toMatchObject({ open: 1, active: 1 });
  } finally {
    await db.close();
  }
});

it('a process starts beside newer ones that have only added to the schema, and changes nothing', async () => {
  await using empty = await openEmptyDatabase();
  const db = empty.open();
  try {
    await migrate(db);
    await sql`insert into kysely_migration (name, timestamp) values ('9000-more', now()::text)`.execute(
      db.query,
    );
    expect(await migrate(db)).toEqual([]);
    await sql`insert into kysely_migration (name, timestamp) values ('9001-less-contract', now()::text)`.execute(
      db.query,
    );
    await expect(migrate(db)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/newer version.*9001-less-contract.*Start the newer version/),
    });
  } finally {
    await db.close();
  }
});

/** The last migration of the time when no two versions ran beside each other. */
const LAST_ALONE = '0043-worker-load';
/** What takes from processes of the version before what they use. */
const REMOVES =
  /\bdrop\s+(?:column|table|type|view|function|default)\b|\brename\b|\bset\s+not\s+null\b|\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b|\bdrop(?:Column|Table|Default)\b|\brename(?:Column|To)\b|\bsetNotNull\b|\bsetDataType\b/i;

it('each migration has a number of its own, so that the order of those made at the same time is no chance', async () => {
  const files = await fs.readdir(path.join(import.meta.dirname, '../../../migrations'));
  const numbers = files.map((file) => file.slice(0, 4));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

it('a migration only adds, unless its name says that the version before cannot work with it', async () => {
  const folder = path.join(import.meta.dirname, '../../../migrations');
  const files = (await fs.readdir(folder)).filter((file) => file > LAST_ALONE).sort();
  const removing = [];
  for (const file of files)
    if (REMOVES.test(await fs.readFile(path.join(folder, file), 'utf8'))) removing.push(file);
  expect(removing.filter((file) => !file.endsWith(`${CONTRACT}.ts`))).toEqual([]);
  const added = 'alter table a add column b integer not null default 0; create index c on a (b)';
  expect(REMOVES.test(added)).toBe(false);
  for (const text of [
    'drop column b',
    'alter column b type text',
    'alter table a rename to d',
    '.dropColumn("b")',
  ])
    expect(REMOVES.test(text), text).toBe(true);
});

it.each([
  ['the only team', 1, 'old 1'],
  ['no team if there are several, of which any may have stored it', 2, null],
])('a copy in the cache from before the cache had teams belongs to %s', async (_whose, count, owner) => {
  await using empty = await openEmptyDatabase();
  const db = empty.open();
  try {
    await migrateTo(db, '0033-column-names');
    for (let n = 1; n <= count; n++)
      await sql`insert into teams (name) values (${`old ${n}`})`.execute(db.query);
    const key = Buffer.from('page');
    await sql`insert into cache_entries (key, fetched_at, blob) values (${key}, now(), 'copy')`.execute(
      db.query,
    );

    await migrate(db);

    const copies = await db.query
      .selectFrom('cache_entries')
      .leftJoin('teams', 'teams.id', 'cache_entries.team_id')
      .select(['blob', 'name'])
      .execute();
    expect(copies).toEqual([{ blob: 'copy', name: owner }]);
    const query = { key, teamId: randomUUID(), minMs: 0, maxMs: 60_000 };
    expect(await findCacheEntries(db, [query], { isShared: false })).toEqual([undefined]);
    expect(await findCacheEntries(db, [query], { isShared: true })).toMatchObject([{ blob: 'copy' }]);
  } finally {
    await db.close();
  }
});
