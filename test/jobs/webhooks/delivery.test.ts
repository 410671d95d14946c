import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { type DeliveryRound, deliverDueEvents } from '../../../src/jobs/webhooks/delivery.ts';
import { retryInMs } from '../../../src/jobs/webhooks/retry-schedule.ts';
import { verifyFileToken } from '../../../src/storage/blobs/file-urls.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { changeTeam } from '../../../src/storage/db/teams/teams.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';
import { DEAD_URL, type Received, startReceiver } from '../../support/webhooks/receiver.ts';
import {
  deliveriesOf,
  endPages,
  endTestJob,
  makeDue,
  makeJob,
  signatureOf,
  type TestJob,
} from '../../support/webhooks/webhook-jobs.ts';

/** Rounds of deliveries: what is sent, in which order, and what becomes of it. */

const SECRET_KEY = 'a secret key';

const db = useOwnDatabase();
let directory: string;
let blobs: Blobs;
let egress: Egress;
let guarded: Egress;
const faults: unknown[] = [];

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-delivery-'));
  blobs = await openBlobs(directory, 'results');
  egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  guarded = createEgress({ allowPrivate: [] });
});
afterAll(async () => {
  await Promise.all([egress.close(), guarded.close()]);
  await rm(directory, { recursive: true });
});

const deliver = (
  job: TestJob,
  {
    through = egress,
    read = blobs.get,
    ...round
  }: Partial<DeliveryRound> & { through?: Egress; read?: Blobs['get'] } = {},
) =>
  deliverDueEvents(
    { db, results: { ...blobs, get: read }, monitorBlobs: blobs, egress: through, secretKey: SECRET_KEY },
    {
      jobId: job.id,
      durationMs: 60_000,
      signal: new AbortController().signal,
      onFault: (error) => faults.push(error),
      ...round,
    },
  );

const typesOf = (received: Received[]) => received.map(({ event }) => event.type);
const numberOf = ({ event }: Received) => Number(event.data[0].metadata.sourceURL.split('/').at(-1));

describe('the schedule of retries', () => {
  it('is 1, 5 and 15 minutes, then every hour', () => {
    const minutes = [1, 2, 3, 4, 5, 26].map((attempts) => (retryInMs(attempts) ?? 0) / 60_000);
    expect(minutes).toEqual([1, 5, 15, 60, 60, 60]);
  });

  it('ends within 24 hours', () => {
    let spentMs = 0;
    let attempts = 1;
    for (let ms = retryInMs(attempts); ms !== undefined; ms = retryInMs(attempts)) {
      spentMs += ms;
      attempts++;
    }
    expect(attempts).toBe(27);
    expect(spentMs / 3_600_000).toBeCloseTo(23.35, 2);
    expect(retryInMs(1_000)).toBeUndefined();
  });
});

describe('events', () => {
  it('have the job, its pages and the requested metadata', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    await changeTeam(db, team.name, { webhookSecret: 'the secret' });
    const metadata = { order: 17, tags: ['a'] };
    const headers = {
      Authorization: 'Bearer mine',
      'X-Service-Signature': 'sha256=forged',
      'User-Agent': 'me',
    };
    const job = await makeJob(db, { webhook: { url: receiver.url, headers, metadata }, pages: 2, team });
    const screenshot = `blob:${'ab'.repeat(32)};3;image/png`;
    const document = {
      markdown: '# Grüße',
      screenshot,
      metadata: { sourceURL: 'http://a.test/0', scrapeId: 'x' },
    };
    await endPages(db, job, { count: 1, blob: await blobs.put(Buffer.from(JSON.stringify(document))) });
    await endPages(db, job, { from: 1, count: 1, error: 'a.test does not resolve.' });
    await endTestJob(db, job);

    expect(await deliver(job)).toEqual({ open: 0, nextDueInMs: undefined, jobEnded: true });
    const rows = await deliveriesOf(db, job);
    const { received } = receiver;
    const common = (index: number) => ({ id: job.id, webhookId: rows[index]?.id, metadata });
    const pages = await db.query
      .selectFrom('pages')
      .select('id')
      .where('job_id', '=', job.id)
      .orderBy('ordinal')
      .execute();
    const [started, ...rest] = received.map(({ event }) => event);
    expect(started).toEqual({ success: true, type: 'crawl.started', data: [], ...common(0) });
    const page = rest.find(({ success, data }) => success && data.length);
    expect(page).toEqual({
      success: true,
      type: 'crawl.page',
      data: [{ ...document, screenshot: expect.stringMatching(/^http:\/\/winnow\.test\/v2\/files\/\S+$/) }],
      ...common(1),
    });
    const token = page.data[0].screenshot.split('/').at(-1);
    expect(verifyFileToken(token, SECRET_KEY)).toEqual({
      key: 'ab'.repeat(32),
      size: 3,
      mediaType: 'image/png',
    });
    expect(rest.find(({ success }) => !success)).toEqual({
      success: false,
      type: 'crawl.page',
      data: [{ metadata: { sourceURL: 'http://a.test/1', scrapeId: pages[1]?.id } }],
      error: 'a.test does not resolve.',
      ...common(2),
    });
    expect(rest.at(-1)).toEqual({ success: true, type: 'crawl.completed', data: [], ...common(3) });
    for (const each of received) {
      expect(each.headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-signature': signatureOf(each, 'the secret'),
        'x-firecrawl-signature': signatureOf(each, 'the secret'),
        'user-agent': 'Winnow/0.1 (webhook)',
        authorization: 'Bearer mine',
      });
    }
    expect(
      rows.map(({ status, attempts, response_status, last_error }) => [
        status,
        attempts,
        response_status,
        last_error,
      ]),
    ).toEqual(Array(4).fill(['delivered', 1, 200, null]));
  });

  it('of a failed job have the reason', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: { url: receiver.url, events: ['failed'] } });
    await endTestJob(db, job, { status: 'failed', error: { code: 'UNKNOWN_ERROR', message: 'It broke.' } });
    await deliver(job);
    expect(receiver.received.map(({ event }) => event)).toEqual([
      {
        success: false,
        type: 'crawl.failed',
        id: job.id,
        webhookId: expect.any(String),
        data: [],
        error: 'It broke.',
      },
    ]);
  });

  it('of a team without a secret are not signed', async () => {
    await using receiver = await startReceiver();
    const headers = { 'x-firecrawl-signature': 'sha256=forged' };
    const job = await makeJob(db, { webhook: { url: receiver.url, headers } });
    await sql`update teams set webhook_secret = null where id = ${job.team.id}`.execute(db.query);
    await endTestJob(db, job);
    await deliver(job);
    expect(receiver.received).toHaveLength(2);
    for (const each of receiver.received) {
      expect(each.headers).not.toHaveProperty('x-service-signature');
      expect(each.headers).not.toHaveProperty('x-firecrawl-signature');
    }
  });
});

describe('first attempts', () => {
  it('are made in order: the start alone, pages in parallel, the end alone', async () => {
    const open: string[][] = [];
    const current = new Set<string>();
    const firstEight = Promise.withResolvers<void>();
    await using receiver = await startReceiver(async ({ event }) => {
      current.add(event.webhookId);
      open.push([event.type, String(current.size)]);
      if (current.size === 8) firstEight.resolve();
      // No page is answered before eight are open, so that a slow machine cannot change which ones these are.
      if (event.type === 'crawl.page') await firstEight.promise;
      await sleep(event.type === 'crawl.page' ? 20 : 100);
      current.delete(event.webhookId);
      return 200;
    });
    const job = await makeJob(db, { webhook: receiver.url, pages: 30 });
    await endPages(db, job, { count: 30, error: 'no' });
    await endTestJob(db, job);
    await deliver(job);
    expect(typesOf(receiver.received)).toEqual([
      'crawl.started',
      ...Array(30).fill('crawl.page'),
      'crawl.completed',
    ]);
    expect(receiver.most).toBeGreaterThan(1);
    expect(receiver.most).toBeLessThanOrEqual(8);
    expect([open[0], open.at(-1)]).toEqual([
      ['crawl.started', '1'],
      ['crawl.completed', '1'],
    ]);
    // The first deliveries start together, and the network decides which arrives first.
    expect(
      receiver.received
        .slice(1, 9)
        .map(numberOf)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('that fail delay no other event', async () => {
    await using receiver = await startReceiver(() => 500);
    const job = await makeJob(db, { webhook: receiver.url, pages: 3 });
    await endPages(db, job, { count: 3, error: 'no' });
    await endTestJob(db, job);
    const { open, nextDueInMs, jobEnded } = await deliver(job);
    expect([open, jobEnded]).toEqual([5, true]);
    expect(nextDueInMs).toBeGreaterThan(50_000);
    expect(nextDueInMs).toBeLessThanOrEqual(60_000);
    expect(typesOf(receiver.received)).toEqual([
      'crawl.started',
      ...Array(3).fill('crawl.page'),
      'crawl.completed',
    ]);
    for (const row of await deliveriesOf(db, job)) {
      expect(row).toMatchObject({
        status: 'pending',
        attempts: 1,
        response_status: 500,
        last_error: 'The receiver responded with HTTP 500. Only 200 to 299 confirm the event.',
        waitSeconds: 60,
      });
    }
  });

  it('of a job that was opened again keep their order', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url, pages: 2 });
    await endPages(db, job, { count: 1, error: 'no' });
    await endTestJob(db, job);
    await sql`update jobs set status = 'scraping' where id = ${job.id}`.execute(db.query);
    await endPages(db, job, { from: 1, count: 1, error: 'no' });
    await endTestJob(db, job);
    await deliver(job);
    expect(typesOf(receiver.received)).toEqual([
      'crawl.started',
      'crawl.page',
      'crawl.completed',
      'crawl.page',
      'crawl.completed',
    ]);
  });

  it('are made as the events are written, while the job runs', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url, pages: 2 });
    const round = deliver(job);
    await receiver.until(1);
    await endPages(db, job, { count: 1, error: 'no' });
    await receiver.until(2);
    await endPages(db, job, { from: 1, count: 1, error: 'no' });
    await receiver.until(3);
    await endTestJob(db, job);
    expect(await round).toMatchObject({ open: 0, jobEnded: true });
    expect(typesOf(receiver.received)).toEqual([
      'crawl.started',
      'crawl.page',
      'crawl.page',
      'crawl.completed',
    ]);
  });

  it('leave the rest of a running job to the next round when their time is up', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url });
    expect(await deliver(job, { durationMs: 300 })).toEqual({
      open: 0,
      nextDueInMs: undefined,
      jobEnded: false,
    });
    expect(typesOf(receiver.received)).toEqual(['crawl.started']);
  });
});

describe('retries', () => {
  it('keep their webhookId, wait longer each time, and end', async () => {
    await using receiver = await startReceiver(() => 503);
    const job = await makeJob(db, { webhook: { url: receiver.url, events: ['completed'] } });
    await endTestJob(db, job);
    const waits = [];
    for (let attempt = 1; attempt <= 27; attempt++) {
      await deliver(job);
      const [row] = await deliveriesOf(db, job);
      expect(row).toMatchObject({ attempts: attempt, status: attempt === 27 ? 'failed' : 'pending' });
      waits.push((row?.waitSeconds ?? 0) / 60);
      // Not due, it is not sent.
      expect(await deliver(job)).toMatchObject({ open: attempt === 27 ? 0 : 1 });
      await makeDue(db, job);
    }
    expect(waits).toEqual([1, 5, 15, ...Array(23).fill(60), 0]);
    expect(receiver.received).toHaveLength(27);
    expect(new Set(receiver.received.map(({ event }) => event.webhookId)).size).toBe(1);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
  });

  it('that succeed are delivered, in one more attempt', async () => {
    let down = true;
    await using receiver = await startReceiver(() => (down ? 500 : 204));
    const job = await makeJob(db, { webhook: receiver.url, pages: 20 });
    await endPages(db, job, { count: 20, error: 'no' });
    await endTestJob(db, job);
    await deliver(job);
    down = false;
    await makeDue(db, job);
    expect(await deliver(job)).toMatchObject({ open: 0, jobEnded: true });
    const rows = await deliveriesOf(db, job);
    expect(rows).toHaveLength(22);
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'delivered', attempts: 2, response_status: 204, last_error: null });
      expect(row.delivered_at).toBeInstanceOf(Date);
    }
    expect(receiver.received).toHaveLength(44);
  });

  it('that hang delay no first attempt', async () => {
    const hanging = new Set<string>();
    const freed = Promise.withResolvers<number>();
    await using receiver = await startReceiver(({ event }) =>
      hanging.has(event.webhookId) ? freed.promise : 500,
    );
    const job = await makeJob(db, { webhook: receiver.url, pages: 40 });
    await endPages(db, job, { count: 20, error: 'no' });
    while (receiver.received.length < 21) await deliver(job, { durationMs: 500 });
    expect(receiver.received).toHaveLength(21);
    for (const { event } of receiver.received) hanging.add(event.webhookId);
    await makeDue(db, job);
    await endPages(db, job, { from: 20, count: 20, error: 'no' });
    await endTestJob(db, job);
    const round = deliver(job);
    // 4 retries that hang, 20 pages and the end.
    const received = await receiver.until(21 + 4 + 20 + 1);
    expect(typesOf(received).at(-1)).toBe('crawl.completed');
    hanging.clear();
    freed.resolve(200);
    await round;
    expect((await deliveriesOf(db, job)).filter(({ status }) => status === 'delivered')).toHaveLength(4);
  });
});

describe('a receiver', () => {
  it('that is unreachable is tried once for each of hundreds of events, which then wait', async () => {
    const url = DEAD_URL;
    // Far fewer than a busy machine can try within the minute after which the first one is tried again.
    const job = await makeJob(db, { webhook: url, pages: 500 });
    await endPages(db, job, { count: 500, error: 'no' });
    await endTestJob(db, job);
    const { open, nextDueInMs } = await deliver(job);
    expect(open).toBe(502);
    expect(nextDueInMs).toBeGreaterThan(0);
    const rows = await deliveriesOf(db, job);
    expect(new Set(rows.map(({ attempts, waitSeconds }) => `${attempts} ${waitSeconds}`))).toEqual(
      new Set(['1 60']),
    );
    expect(rows[0]).toMatchObject({
      response_status: null,
      last_error: expect.stringContaining(`${new URL(url).host} refused the connection.`),
    });
  });

  it('at a private IP address gets no request and no retry, unless the IP address is allowed', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url });
    await endTestJob(db, job);
    expect(await deliver(job, { through: guarded })).toMatchObject({ open: 0, jobEnded: true });
    expect(receiver.received).toEqual([]);
    for (const row of await deliveriesOf(db, job)) {
      expect(row).toMatchObject({
        status: 'failed',
        attempts: 1,
        last_error: expect.stringMatching(
          /^127\.0\.0\.1 is a private or reserved address.*WINNOW_ALLOW_PRIVATE/,
        ),
      });
    }
  });

  it('that redirects is not followed', async () => {
    await using receiver = await startReceiver(() => 302);
    const job = await makeJob(db, { webhook: { url: receiver.url, events: ['completed'] } });
    await endTestJob(db, job);
    await deliver(job);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect((await deliveriesOf(db, job))[0]).toMatchObject({ status: 'pending', response_status: 302 });
  });
});

describe('a round', () => {
  it('that dies between sending and recording sends the event again under the same webhookId', async () => {
    const dies = new AbortController();
    await using receiver = await startReceiver(() =>
      dies.signal.aborted ? 200 : new Promise<number>(() => undefined),
    );
    const job = await makeJob(db, { webhook: { url: receiver.url, events: ['completed'] } });
    await endTestJob(db, job);
    const round = deliver(job, { signal: dies.signal });
    const [first] = await receiver.until(1);
    dies.abort(new Error('the worker ends'));
    await expect(round).rejects.toThrow('the worker ends');
    expect(await deliveriesOf(db, job)).toMatchObject([
      { status: 'pending', attempts: 0, last_attempt_at: null },
    ]);
    await deliver(job);
    expect(receiver.received.map(({ event }) => event)).toEqual([first?.event, first?.event]);
    expect(await deliveriesOf(db, job)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('goes on with the other events when a document is gone', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url, pages: 2 });
    await endPages(db, job, { count: 1, blob: 'f'.repeat(64) });
    await endPages(db, job, { from: 1, count: 1, error: 'no' });
    await endTestJob(db, job);
    // A bucket may read what was there before its last write, so it is asked three times.
    for (const open of [1, 1, 0]) {
      expect(await deliver(job)).toMatchObject({ open });
      await makeDue(db, job);
    }
    expect(
      (await deliveriesOf(db, job)).map(({ status, last_error }) => [status, last_error?.slice(0, 17) ?? '']),
    ).toEqual([
      ['delivered', ''],
      ['failed', 'The data with the'],
      ['delivered', ''],
      ['delivered', ''],
    ]);
    expect(faults).toEqual([]);
  });

  it('makes no attempt while the blob store does not respond, and repeats the round', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url, pages: 1 });
    const document = { markdown: 'a page', metadata: { sourceURL: 'http://a.test/0', scrapeId: 'x' } };
    await endPages(db, job, { count: 1, blob: await blobs.put(Buffer.from(JSON.stringify(document))) });
    await endTestJob(db, job);
    const outage = new ServiceError('SERVICE_UNAVAILABLE', 'The blob store does not respond.');
    await expect(deliver(job, { read: () => Promise.reject(outage) })).rejects.toBe(outage);
    expect((await deliveriesOf(db, job))[1]).toMatchObject({
      status: 'pending',
      attempts: 0,
      last_error: null,
    });
    expect(await deliver(job)).toMatchObject({ open: 0 });
    expect(typesOf(receiver.received).at(-2)).toContain('.page');
  });

  it('logs an internal error and retries the event later', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url, pages: 1 });
    const pack = await blobs.put(Buffer.from('this is no document'));
    await endPages(db, job, { count: 1, blob: pack });
    await endTestJob(db, job);
    expect(await deliver(job)).toMatchObject({ open: 1 });
    expect(String(faults.pop())).toContain('JSON');
    expect((await deliveriesOf(db, job))[1]).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: 'Something unexpected went wrong inside Winnow.',
    });
  });

  it('does nothing for a job that has expired, has no webhook, or was deleted', async () => {
    await using receiver = await startReceiver();
    const job = await makeJob(db, { webhook: receiver.url });
    await endTestJob(db, job);
    await sql`update jobs set expires_at = now() where id = ${job.id}`.execute(db.query);
    const nothing = { open: 0, nextDueInMs: undefined, jobEnded: true };
    expect(await deliver(job)).toEqual(nothing);
    await sql`delete from jobs where id = ${job.id}`.execute(db.query);
    expect(await deliver(job)).toEqual(nothing);
    expect(await deliveriesOf(db, job)).toEqual([]);
    expect(receiver.received).toEqual([]);
  });
});
