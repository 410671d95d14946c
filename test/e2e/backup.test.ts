import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { scheduleIdOf } from '../../src/job-kinds.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { finished, sourcesOf, startJob, untilStatus } from '../support/api/jobs.ts';
import { runInProcess } from '../support/service/command-line.ts';
import {
  type RunningService,
  runFileOf,
  startService,
  temporalAddressOf,
} from '../support/service/start-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { startBucket, type TestBucket } from '../support/storage/bucket.ts';
import { openTestDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { type Received, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

/**
 * A machine is lost while a crawl and a batch run: all processes are killed at once, and another machine goes on from
 * the backup.
 */

type Body = ApiResponse['body'];

const PAGES = 40;
/** Pages of the batch from this one on wait until the machine is lost. */
const HELD = 10;
/** So do those of the crawl from this one on; the others arrive one by one while the backup is made. */
const CRAWL_HELD = 35;
const CRAWL_PAUSE_MS = 200;
const root = await mkdtemp(path.join(tmpdir(), 'winnow-lost-machine-'));
// Started by root, Postgres runs as another user, which needs to pass through the directory.
await chmod(root, 0o711);
const file = path.join(root, 'backup.tar');
const machineIsLost = Promise.withResolvers<void>();
let site: Pages;
let receiver: Receiver;
let bucket: TestBucket;
let lost: RunningService;
const ids = { crawl: '', batch: '', monitor: '' };
/** What clients of the lost machine had seen before the backup began. */
let acknowledged: { crawl: string[]; batch: string[]; events: Received[] };

const serve =
  (name: string, page: number): RequestListener =>
  async (_request, response) => {
    if (name.startsWith('/crawl')) await pause(CRAWL_PAUSE_MS);
    if (page >= (name.startsWith('/crawl') ? CRAWL_HELD : HELD)) await machineIsLost.promise;
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<h1>Page ${name}</h1><p>Text of ${name}.</p>`);
  };
const namesOf = (kind: string) => Array.from({ length: PAGES }, (_, page) => `/${kind}-${page}`);

beforeAll(async () => {
  const names = namesOf('crawl');
  site = await startPages({
    '/': `<h1>Pages</h1>${names.map((name) => `<a href="${name}">${name}</a>`).join(' ')}`,
    '/watched': '<h1>Watched</h1>',
    ...Object.fromEntries(
      [names, namesOf('batch')].flatMap((all) => all.map((name, page) => [name, serve(name, page)])),
    ),
  });
  receiver = await startReceiver();
  bucket = await startBucket();
  lost = await startService({ emptyPostgres: inject('emptyPostgres') });
  const monitor = {
    name: 'Watched',
    schedule: { text: 'daily at 9:00', timezone: 'UTC' },
    targets: [{ type: 'scrape', urls: [`${site.url}/watched`] }],
  };
  ids.monitor = (await call('/v2/monitor', { ...lost, body: monitor })).body.data.id;
  ids.crawl = await startJob('/v2/crawl', { url: site.url, maxConcurrency: 2, limit: PAGES + 1 }, lost);
  const urls = namesOf('batch').map((name) => site.url + name);
  ids.batch = await startJob(
    '/v2/batch/scrape',
    { urls, maxConcurrency: 2, webhook: { url: receiver.url } },
    lost,
  );
  const batch = await untilStatus(
    `/v2/batch/scrape/${ids.batch}`,
    ({ completed }) => completed === HELD,
    lost,
  );
  // Its start and pages: an event that arrives later may or may not be one that the backup has as delivered.
  await receiver.until(HELD + 1);
  const crawl = await untilStatus(`/v2/crawl/${ids.crawl}`, ({ completed }) => completed >= 5, lost);
  expect([crawl.status, batch.status]).toEqual(['scraping', 'scraping']);
  acknowledged = { crawl: sourcesOf(crawl), batch: sourcesOf(batch), events: [...receiver.received] };
  const backup = await runInProcess(['backup', file], { settings: { WINNOW_DATA_DIR: lost.dataDir } });
  expect(backup.exitCode, backup.stderr).toBe(0);

  const { children } = runFileOf(lost);
  const ended = once(lost.process, 'exit');
  for (const { pid } of [{ pid: lost.process.pid! }, ...Object.values(children)])
    process.kill(pid, 'SIGKILL');
  await ended;
  machineIsLost.resolve();
});

afterAll(async () => {
  await lost.stop();
  for (const part of [site, receiver, bucket]) await part[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

it.each<[string, () => Record<string, string>]>([
  ['a directory', () => ({})],
  ['a bucket', () => ({ WINNOW_BLOBS: bucket.url('blobs') })],
])(
  'a service is restored in an empty directory with its files in %s, where its jobs go on',
  async (kind, settings) => {
    const env = settings();
    const dataDir = path.join(root, kind.replaceAll(' ', '-'));
    const restored = await runInProcess(['restore', file], {
      settings: { WINNOW_DATA_DIR: dataDir, ...env },
    });
    expect(restored.exitCode, restored.stderr).toBe(0);
    const before = receiver.received.length;
    const service = await startService({ dataDir, env });
    try {
      expect(service.key).toBe(lost.key);
      await expectComplete(service, `/v2/crawl/${ids.crawl}`, [PAGES + 1, acknowledged.crawl]);
      const batch = await expectComplete(service, `/v2/batch/scrape/${ids.batch}`, [
        PAGES,
        acknowledged.batch,
      ]);
      await expectEvents(batch, before);
      await expectSchedule(service);
    } finally {
      await service.stop({ keepData: true });
    }
  },
);

/** Each page that was acknowledged is there, none twice, and each has one entry in the ledger. @returns the documents */
async function expectComplete(
  service: RunningService,
  job: string,
  [pages, known]: [pages: number, known: string[]],
): Promise<Body[]> {
  const id = path.basename(job);
  const end = await finished(path.dirname(job), id, service);
  expect(end).toMatchObject({ status: 'completed', total: pages, completed: pages });
  const { body } = await call(`${job}?limit=100`, service);
  const sources = sourcesOf(body);
  expect(sources).toHaveLength(pages);
  expect(new Set(sources).size).toBe(pages);
  expect(sources).toEqual(expect.arrayContaining(known));
  await expectLedgerToMatch(service, id);
  return body.data;
}

async function expectLedgerToMatch(place: RunningService, id: string): Promise<void> {
  const db = openTestDatabase(place);
  const entries = await db.query
    .selectFrom('credit_entries')
    .select(['ordinal', 'credits'])
    .where('job_id', '=', id)
    .execute();
  const results = await db.query
    .selectFrom('pages')
    .select('ordinal')
    .where('job_id', '=', id)
    .where('status', '=', 'completed')
    .execute();
  await db.close();
  expect(entries.map(({ ordinal }) => ordinal).sort()).toEqual(results.map(({ ordinal }) => ordinal).sort());
  expect(entries.every(({ credits }) => credits === 1)).toBe(true);
}

/** What an event tells: its type, and the page that it is about. */
const subjectOf = ({ event }: Received): string => `${event.type} ${event.data[0]?.metadata.scrapeId ?? ''}`;

/**
 * With those that arrived before the backup, each event of the batch arrives, under one id.
 * @param before how many events had arrived when the restored service started
 */
async function expectEvents(documents: Body[], before: number): Promise<void> {
  const subjects = [
    'batch_scrape.started ',
    ...documents.map(({ metadata }) => `batch_scrape.page ${metadata.scrapeId}`),
    'batch_scrape.completed ',
  ].sort();
  const idsOf = () => {
    const events = [...acknowledged.events, ...receiver.received.slice(before)];
    return Map.groupBy(events, subjectOf);
  };
  await pollUntil(() => subjects.every((subject) => idsOf().has(subject)));
  const found = idsOf();
  expect([...found.keys()].sort()).toEqual(subjects);
  for (const [subject, events] of found)
    expect(new Set(events.map(({ event }) => event.webhookId)).size, subject).toBe(1);
}

/** Temporal, which has begun anew, has the schedule of the monitor again. */
async function expectSchedule(service: RunningService): Promise<void> {
  const connection = await connectTemporal(temporalAddressOf(service));
  try {
    const { schedule } = new Client({ connection });
    const found = await pollUntil(() =>
      schedule
        .getHandle(scheduleIdOf(ids.monitor))
        .describe()
        .catch(() => undefined),
    );
    expect(found.info.nextActionTimes[0]?.getTime()).toBeGreaterThan(Date.now());
  } finally {
    await connection.close();
  }
}

it('what a killed machine has left on its disk is backed up by itself', async () => {
  // Processes that were left running are stopped, and Postgres alone is started.
  const location = bucket.url('again.tar');
  const again = await runInProcess(['backup', location], { settings: { WINNOW_DATA_DIR: lost.dataDir } });
  expect(again.exitCode, again.stderr).toBe(0);
  expect(await bucket.keys()).toContain('again.tar');
});
