import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBackup } from '../../src/backup/archive-reader.ts';
import { watchNewestBackup, writeDailyBackup } from '../../src/backup/daily-backups.ts';
import type { Manifest } from '../../src/backup/manifest.ts';
import { openBackupFile, openBackupPlace } from '../../src/backup/places/open-place.ts';
import { requireRestoreRoom } from '../../src/backup/restore-room.ts';
import { migrate } from '../../src/storage/db/migrate.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { openEmptyDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

let root: string;
let service: RunningService;

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'winnow-daily-'));
  service = await startService({ env: { WINNOW_BACKUPS: path.join(root, 'of the service') } });
});
afterAll(async () => {
  await service.stop();
  await rm(root, { recursive: true });
});

it('a service writes its first backup by itself, and tells its age', async () => {
  const directory = path.join(root, 'of the service');
  const written = await pollUntil(async () => {
    const names = await readdir(directory).catch(() => []);
    return names.find((name) => name.endsWith('.tar'));
  });
  const file = path.join(directory, written);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { manifest } = await checkBackup(await openBackupFile(file), () => undefined);
  expect(manifest.rows.teams?.count).toBe(1);
  expect(Object.keys(manifest.sections)).toContain('keys');
  const age = await pollUntil(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return /^winnow_backup_age_seconds\{[^}]*\} (\S+)$/m.exec(metrics)?.[1];
  });
  expect(Number(age)).toBeGreaterThan(0);
});

it('the newest seven are kept, other files stay, and what a killed process was writing is removed', async () => {
  const directory = path.join(root, 'seven');
  const place = await openBackupPlace(directory);
  await using empty = await openEmptyDatabase();
  const db = empty.open();
  try {
    await migrate(db);
    const source = {
      db,
      blobs: path.join(root, 'blobs'),
      keys: new Map(),
      secretKey: undefined,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    };
    const first = await writeDailyBackup(place, source);
    expect(first.deleted).toEqual([]);
    const older = Array.from({ length: 8 }, (_, day) => `winnow-2020-01-0${day + 1}T021700Z.tar`);
    const draft = 'winnow-2020-01-09T021700Z.tar.part';
    for (const name of [...older, draft, 'my-own.tar', 'notes.txt.part'])
      await writeFile(path.join(directory, name), '');
    await utimes(path.join(directory, draft), 0, 0);
    // Another one within the same second would have the name of the first.
    await rm(path.join(directory, first.name));
    const { name, deleted } = await writeDailyBackup(place, source);
    expect(deleted).toEqual(older.slice(0, 2));
    expect((await readdir(directory)).sort()).toEqual(
      [...older.slice(2), name, 'my-own.tar', 'notes.txt.part'].sort(),
    );
    const newest = await watchNewestBackup(place)();
    expect(newest?.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
    const nowhere = await openBackupPlace(path.join(root, 'nowhere'));
    expect(await watchNewestBackup(nowhere)()).toBeUndefined();
  } finally {
    await db.close();
  }
});

it('a restore that has no room says how much is missing, for blobs and for rows', async () => {
  const manifest = (blobBytes: number, rowBytes: number): Manifest => ({
    sections: { 'blobs/results': { files: 1, bytes: blobBytes, sha256: '' } },
    rows: { jobs: { count: 1, bytes: rowBytes } },
  });
  const place = {
    dataDir: path.join(root, 'new'),
    blobs: path.join(root, 'new', 'blobs'),
    hasOwnPostgres: true,
  };
  const huge = 1e18;
  await requireRestoreRoom(manifest(1_000, 1_000), place);
  await expect(requireRestoreRoom(manifest(huge, 0), place)).rejects.toMatchObject({
    code: 'INSUFFICIENT_STORAGE',
    message: expect.stringMatching(/needs about [\d,]+ MiB on the disk of .* has [\d,]+ MiB left/),
  });
  await expect(requireRestoreRoom(manifest(0, huge), place)).rejects.toThrow('MiB left');
  await requireRestoreRoom(manifest(0, huge), { ...place, hasOwnPostgres: false });
  await requireRestoreRoom(manifest(huge, 0), { ...place, blobs: 's3://bucket/blobs?endpoint=http://x' });
});

describe('a place in which no backup can be written is found at the start, not at night:', () => {
  const file = async () => {
    const name = path.join(root, 'a-file');
    await writeFile(name, '');
    return name;
  };
  it.each<[string, () => Promise<string>, RegExp]>([
    ['a file', file, /a-file is a file or lies below one, and has to be a directory\. Name another one\./],
    ['a directory below a file', async () => path.join(await file(), 'below'), /is a file or lies below one/],
    [
      'a directory that cannot be made',
      async () => '/sys/winnow-backups',
      /cannot be written by this user: .*Change its permissions, or name another directory\./,
    ],
  ])('%s', async (_what, place, message) => {
    const dataDir = path.join(root, 'never-started');
    const { exitCode, stderr } = await runInProcess(['up'], {
      settings: { WINNOW_DATA_DIR: dataDir, WINNOW_BACKUPS: await place(), PORT: '0' },
    });
    expect(stderr.trim()).toMatch(/^WINNOW_BACKUPS cannot be used\. .*$/);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
    expect(await readdir(dataDir)).not.toContain('postgres');
  });
});
