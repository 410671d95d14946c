import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { watchNewestBackup, writeDailyBackup } from '../../src/backup/daily-backups.ts';
import { openBackupFile, openBackupPlace } from '../../src/backup/places/open-place.ts';
import { requireBackupPlace } from '../../src/backup/places/require-place.ts';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { migrate } from '../../src/storage/db/migrate.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { BUCKET_KEYS, startBucket, type TestBucket } from '../support/storage/bucket.ts';
import { makeTeam, openEmptyDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Backups in a bucket of S3. */

const WINNOW = path.join(import.meta.dirname, '..', '..', 'bin', 'winnow.js');
/** More than one part of an upload. */
const LARGE_BYTES = 70 * 1024 * 1024;
/** The parts in which such an object is read. */
const RANGES = 9;

type Place = Awaited<ReturnType<typeof openEmptyDatabase>> & { dataDir: string };
let root: string;
let bucket: TestBucket;
let source: Place;
let db: Database;
let team: string;
const large = randomBytes(LARGE_BYTES);
let key: string;

const makePlace = async (): Promise<Place> =>
  Object.assign(await openEmptyDatabase(), { dataDir: await mkdtemp(path.join(root, 'data-')) });
const settingsOf = (place: Place) => ({ DATABASE_URL: place.url, WINNOW_DATA_DIR: place.dataDir });
const run = (place: Place, args: string[], settings: Record<string, string> = {}) =>
  runInProcess(args, { settings: { ...settingsOf(place), ...settings } });

const dailySource = () => ({
  db,
  blobs: path.join(root, 'no-blobs'),
  keys: new Map(),
  secretKey: undefined,
  signal: new AbortController().signal,
  onProgress: () => undefined,
});

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'winnow-buckets-'));
  bucket = await startBucket();
  source = await makePlace();
  db = source.open();
  await migrate(db);
  team = (await makeTeam(db)).name;
  const results = await openBlobs(path.join(source.dataDir, 'blobs'), 'results');
  key = await results.put(large);
  const written = await run(source, ['backup', bucket.url('a/winnow.tar')]);
  expect(written.stderr).not.toMatch(/error/i);
  expect(written).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^s3:\/\/winnow\/a\/winnow\.tar has 0 jobs and 7\d\.\d MiB/m),
  });
});
afterEach(() => {
  bucket.fault = undefined;
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await db.close();
  await source[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

it('a backup goes to a bucket in parts without a file of its own, and is restored from there to another bucket of blobs', async () => {
  expect(await bucket.keys()).toContain('a/winnow.tar');
  expect(await bucket.uploads()).toEqual([]);
  expect(bucket.requests.filter((line) => line.includes('partNumber'))).toHaveLength(2);
  await using place = await makePlace();
  const blobs = bucket.url('restored');
  const restored = await run(place, ['restore', bucket.url('a/winnow.tar')], { WINNOW_BLOBS: blobs });
  expect(restored.exitCode, restored.stderr).toBe(0);
  const copy = place.open();
  const teams = await copy.query.selectFrom('teams').select('name').execute();
  await copy.close();
  expect(teams).toEqual([{ name: team }]);
  expect((await (await openBlobs(blobs, 'results')).get(key)).equals(large)).toBe(true);
});

describe('an object that cannot be restored is refused with one sentence, before anything is changed:', () => {
  const changed = async (change: (bytes: Buffer) => Buffer) => {
    const bytes = await readFile(bucket.fileOf('a/winnow.tar'));
    await writeFile(bucket.fileOf('a/changed.tar'), change(bytes));
    return 'a/changed.tar';
  };
  const cases: [string, () => Promise<string>, RegExp][] = [
    [
      'one that is not there',
      async () => 'a/absent.tar',
      /has no object a\/absent\.tar\. Correct its name\./,
    ],
    [
      'one of another program',
      () => changed(() => Buffer.from('a text'.repeat(1000))),
      /^s3:\/\/winnow\/a\/changed\.tar is not a backup of Winnow\./,
    ],
    [
      'one that was cut off',
      () => changed((bytes) => bytes.subarray(0, 50_000_000)),
      /it was cut off or altered/,
    ],
    [
      'one with other bytes in a blob',
      () =>
        changed((bytes) => {
          bytes[60_000_000]! ^= 1;
          return bytes;
        }),
      /its part blobs\/results was altered/,
    ],
  ];
  it.each(cases)('%s', async (_name, make, message) => {
    await using place = await makePlace();
    const { exitCode, stderr } = await run(place, ['restore', bucket.url(await make())]);
    const lines = stderr.trim().split('\n');
    // A busy machine may show that it still checks the backup.
    expect(lines.filter((line) => !line.startsWith('Checking'))).toEqual([expect.stringMatching(message)]);
    expect(exitCode).toBe(2);
    expect(await readdir(place.dataDir)).toEqual([]);
  });
});

it('a backup whose process is killed during the upload leaves no object, and the next one removes its parts', async () => {
  const arrived = Promise.withResolvers<void>();
  bucket.fault = ({ url }) => {
    if (!url?.includes('partNumber=2')) return false;
    arrived.resolve();
    return true;
  };
  const child = spawn(
    process.execPath,
    [WINNOW, 'backup', bucket.url('killed/winnow-2020-01-01T021700Z.tar')],
    {
      env: { ...process.env, ...BUCKET_KEYS, ...settingsOf(source) },
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'exit');
  await Promise.race([arrived.promise, ended.then(() => Promise.reject(new Error('the command ended')))]);
  child.kill('SIGKILL');
  await ended;
  bucket.fault = undefined;
  expect((await bucket.keys()).filter((name) => name.startsWith('killed'))).toEqual([]);
  expect(await bucket.uploads()).toHaveLength(1);
  const place = await openBackupPlace(bucket.url('killed'));
  await place.removeDrafts((name) => name.startsWith('winnow-'), new Date(Date.now() + 60_000));
  expect(await bucket.uploads()).toEqual([]);
});

it('a restore that is interrupted ends in order, with nothing changed', async () => {
  // The first pass reads ten ranges; the second waits for its second one.
  const held = Promise.withResolvers<ServerResponse>();
  let reads = 0;
  bucket.fault = ({ method, url }, response) => {
    if (method !== 'GET' || !url?.includes('winnow.tar') || ++reads !== RANGES + 2) return false;
    held.resolve(response);
    return true;
  };
  const dataDir = await mkdtemp(path.join(root, 'interrupted-'));
  // Started by root, Postgres runs as another user, which needs to pass through the directories.
  for (const each of [root, dataDir]) await chmod(each, 0o711);
  const child = spawn(process.execPath, [WINNOW, 'restore', bucket.url('a/winnow.tar')], {
    env: { ...process.env, ...BUCKET_KEYS, WINNOW_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const output: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text) => output.push(text));
  const response = await Promise.race([
    held.promise,
    ended.then(() => Promise.reject(new Error(output.join('')))),
  ]);
  child.kill('SIGINT');
  await pollUntil(() => output.join('').includes('Stopping.'));
  response.destroy();
  expect(await ended).toEqual([130, null]);
  expect((await readdir(dataDir, { recursive: true })).filter((name) => /[0-9a-f]{62}$/.test(name))).toEqual(
    [],
  );
});

it('the newest seven daily backups are kept in a bucket, and other objects stay', async () => {
  const place = await openBackupPlace(bucket.url('daily'));
  const findNewest = watchNewestBackup(place);
  expect(await findNewest()).toBeUndefined();
  const first = await writeDailyBackup(place, dailySource());
  expect(first.deleted).toEqual([]);
  const older = Array.from({ length: 8 }, (_, day) => `winnow-2020-01-0${day + 1}T021700Z.tar`);
  for (const name of [...older, 'my-own.tar', 'below/winnow-2020-01-01T021700Z.tar'])
    await writeObject(`daily/${name}`);
  await place.remove(first.name);
  const { name, deleted } = await writeDailyBackup(place, dailySource());
  expect(deleted).toEqual(older.slice(0, 2));
  const kept = (await bucket.keys()).filter((each) => each.startsWith('daily/'));
  expect(kept).toEqual(
    [...older.slice(2), name, 'my-own.tar', 'below/winnow-2020-01-01T021700Z.tar']
      .map((each) => `daily/${each}`)
      .sort(),
  );
  expect((await findNewest())?.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
});

async function writeObject(name: string): Promise<void> {
  const file = await openBackupFile(bucket.url(name));
  await file.write(Readable.from([Buffer.from('an object')]));
}

describe('a bucket in which no backup can be written is found at the start, not at night:', () => {
  it.each<[string, number, string, RegExp]>([
    [
      'one that is not there',
      404,
      'NoSuchBucket',
      /There is no bucket winnow at http:.*Create it, or correct its name/,
    ],
    [
      'one that refuses the key',
      403,
      'AccessDenied',
      /refuses access to .*Check AWS_ACCESS_KEY_ID and AWS_SECRET/,
    ],
  ])('%s', async (_what, status, code, message) => {
    bucket.fault = (_request, response) => {
      response.writeHead(status, { 'Content-Type': 'application/xml' });
      response.end(`<Error><Code>${code}</Code><Message>No</Message></Error>`);
      return true;
    };
    const place = await openBackupPlace(bucket.url('at-start'));
    const check = requireBackupPlace(place, () => undefined);
    await expect(check).rejects.toThrow(/^WINNOW_BACKUPS cannot be used\. /);
    await expect(check).rejects.toThrow(message);
  });

  it('one without credentials', async () => {
    for (const name of Object.keys(BUCKET_KEYS)) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('HOME', root);
    const place = await openBackupPlace(bucket.url('at-start'));
    await expect(requireBackupPlace(place, () => undefined)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(
        /^WINNOW_BACKUPS cannot be used\. There are no credentials .*Set AWS_ACCESS_KEY_ID/,
      ),
    });
  });

  it('one that does not respond at the moment keeps no service from starting', async () => {
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
    const place = await openBackupPlace('s3://winnow/backups?endpoint=http://127.0.0.1:1');
    const told: unknown[] = [];
    await requireBackupPlace(place, (error) => told.push(error));
    expect(told).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/does not respond \(ECONNREFUSED\)\. Try again later/),
      }),
    ]);
  });
});

it('URLs that name no object are refused', async () => {
  for (const location of [
    's3://winnow',
    's3://winnow/backups/',
    'https://example.com/winnow.tar',
    's3:///winnow.tar',
  ]) {
    const { exitCode, stderr } = await run(source, ['backup', location]);
    expect(stderr).toMatch(
      /does not name a backup\. Write it as a path, or as s3:\/\/bucket\/path\/name\.tar/,
    );
    expect(exitCode).toBe(2);
  }
});
