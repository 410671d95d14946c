import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBackup } from '../../src/backup/archive-reader.ts';
import { findNewestBackup, writeDailyBackup } from '../../src/backup/daily-backups.ts';
import type { Manifest } from '../../src/backup/manifest.ts';
import { requireRestoreRoom } from '../../src/backup/restore-room.ts';
import { migrate } from '../../src/storage/db/migrate.ts';
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
  const { manifest } = await checkBackup(file, () => undefined);
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
    const first = await writeDailyBackup(directory, source);
    expect(first.deleted).toEqual([]);
    const older = Array.from({ length: 8 }, (_, day) => `winnow-2020-01-0${day + 1}T021700Z.tar`);
    const draft = 'winnow-2020-01-09T021700Z.tar.part';
    for (const name of [...older, draft, 'my-own.tar', 'notes.txt.part'])
      await writeFile(path.join(directory, name), '');
    await utimes(path.join(directory, draft), 0, 0);
    // Another one within the same second would have the name of the first.
    await rm(path.join(directory, first.name));
    const { name, deleted } = await writeDailyBackup(directory, source);
    expect(deleted).toEqual(older.slice(0, 2));
    expect((await readdir(directory)).sort()).toEqual(
      [...older.slice(2), name, 'my-own.tar', 'notes.txt.part'].sort(),
    );
    expect((await findNewestBackup(directory))?.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
    expect(await findNewestBackup(path.join(root, 'nowhere'))).toBeUndefined();
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
