import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { up as makeSpine } from '../../../migrations/0001-spine.ts';
import { up as makeJobs } from '../../../migrations/0002-jobs.ts';
import { runningDatabaseUrl } from '../../../src/run/embedded/postgres.ts';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { changeTeam, findTeam } from '../../../src/storage/db/teams/teams.ts';
import { listDueEvents } from '../../../src/storage/db/webhook-events.ts';
import {
  findWebhook,
  isJobRunning,
  listDeliveries,
  readPendingDeliveries,
  recordAttempt,
  redeliver,
} from '../../../src/storage/db/webhooks.ts';
import { useService } from '../../support/service/use-service.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';
import {
  deliveriesOf,
  endPages,
  endTestJob,
  makeDue,
  makeJob,
  type TestJob,
} from '../../support/webhooks/webhook-jobs.ts';

/** The rows of deliveries: what is due, what an attempt leaves, what is left. */

const service = useService();

const HOOK = 'http://hooks.test/';
const SECRET = /^[0-9a-f]{64}$/;

const db = useOwnDatabase();

const due = (job: TestJob, asked: Partial<Parameters<typeof listDueEvents>[1]> = {}) =>
  listDueEvents(db, { jobId: job.id, after: 0, maxNew: 100, maxRetries: 100, excludedIds: [], ...asked });

async function fail(job: TestJob, retryInMs: number | undefined): Promise<void> {
  for (const { id } of await due(job)) {
    await recordAttempt(db, {
      id,
      delivered: false,
      responseStatus: 500,
      responseBody: null,
      error: 'no',
      retryInMs,
    });
  }
}

describe('due deliveries', () => {
  it('are those never sent, in the order of their events, with the results of their pages', async () => {
    const job = await makeJob(db, { webhook: HOOK, pages: 3 });
    await endPages(db, job, { from: 2, count: 1, blob: 'b2' });
    await endPages(db, job, { count: 2, error: 'no' });
    const rows = await due(job);
    expect(rows.map(({ type, url, blob, error }) => [type, url, blob, error])).toEqual([
      ['crawl.started', null, null, null],
      ['crawl.page', 'http://a.test/2', 'b2', null],
      ['crawl.page', 'http://a.test/0', null, 'no'],
      ['crawl.page', 'http://a.test/1', null, 'no'],
    ]);
    expect(await due(job, { maxNew: 2 })).toEqual(rows.slice(0, 2));
    expect(await due(job, { after: rows[1]?.sequence ?? 0 })).toEqual(rows.slice(2));
    expect(await due(job, { maxNew: 0 })).toEqual([]);
  });

  it('are those that failed before, at the time of their retry', async () => {
    const job = await makeJob(db, { webhook: HOOK, pages: 2 });
    await endPages(db, job, { count: 2, error: 'no' });
    await fail(job, 60_000);
    expect(await due(job)).toEqual([]);
    await makeDue(db, job);
    const rows = await due(job);
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(await due(job, { maxRetries: 1 })).toHaveLength(1);
    expect(await due(job, { excludedIds: rows.slice(1).map(({ id }) => id) })).toEqual(rows.slice(0, 1));
    expect(await due(job, { after: Number.MAX_SAFE_INTEGER })).toEqual(rows);
  });

  it('are those of one job', async () => {
    const job = await makeJob(db, { webhook: HOOK });
    expect(await due({ ...job, id: (await makeJob(db, { webhook: { url: HOOK, events: [] } })).id })).toEqual(
      [],
    );
    expect(await due(job)).toHaveLength(1);
  });
});

describe('an attempt', () => {
  it('does not change a delivery that is not pending', async () => {
    const job = await makeJob(db, { webhook: HOOK });
    const [event] = await due(job);
    const id = event?.id ?? '';
    await recordAttempt(db, {
      id,
      delivered: true,
      responseStatus: 204,
      responseBody: null,
      error: null,
      retryInMs: undefined,
    });
    const [row] = await deliveriesOf(db, job);
    expect(row).toMatchObject({ status: 'delivered', attempts: 1, response_status: 204, last_error: null });
    await recordAttempt(db, {
      id,
      delivered: false,
      responseStatus: 500,
      responseBody: null,
      error: 'late',
      retryInMs: 60_000,
    });
    expect(await deliveriesOf(db, job)).toEqual([row]);
  });

  it('without a following one ends the delivery', async () => {
    const job = await makeJob(db, { webhook: HOOK });
    const [event] = await due(job);
    await recordAttempt(db, {
      id: event?.id ?? '',
      delivered: false,
      responseStatus: null,
      responseBody: null,
      error: 'refused',
      retryInMs: undefined,
    });
    expect(await deliveriesOf(db, job)).toMatchObject([
      { status: 'failed', attempts: 1, last_error: 'refused' },
    ]);
    expect(await due(job)).toEqual([]);
  });
});

describe('the reading of pending deliveries', () => {
  it('counts pending deliveries and says when the next is due', async () => {
    const job = await makeJob(db, { webhook: HOOK, pages: 2 });
    expect(await readPendingDeliveries(db, job.id)).toEqual({ open: 1, nextDueInMs: 0, jobEnded: false });
    await fail(job, 30_000);
    await endPages(db, job, { count: 1, error: 'no' });
    await fail(job, 90_000);
    await endTestJob(db, job);
    expect(await readPendingDeliveries(db, job.id)).toEqual({ open: 3, nextDueInMs: 0, jobEnded: true });
    await fail(job, 60_000);
    const { nextDueInMs } = await readPendingDeliveries(db, job.id);
    expect(nextDueInMs).toBeGreaterThan(10_000);
    expect(nextDueInMs).toBeLessThanOrEqual(30_000);
  });

  it('reports that an expired job has no deliveries', async () => {
    const job = await makeJob(db, { webhook: HOOK });
    expect(await isJobRunning(db, job.id)).toBe(true);
    await endTestJob(db, job);
    expect(await isJobRunning(db, job.id)).toBe(false);
    expect(await findWebhook(db, job.id, 'no secret')).toMatchObject({
      target: { url: HOOK },
      baseUrl: 'http://winnow.test',
    });
    await sql`update jobs set expires_at = now() where id = ${job.id}`.execute(db.query);
    expect(await findWebhook(db, job.id, 'no secret')).toBeUndefined();
    expect(await readPendingDeliveries(db, job.id)).toEqual({
      open: 0,
      nextDueInMs: undefined,
      jobEnded: true,
    });
  });
});

describe('a redelivery', () => {
  it('makes any delivery due and keeps its number of attempts', async () => {
    const job = await makeJob(db, { webhook: HOOK });
    await fail(job, undefined);
    const [delivery] = await listDeliveries(db, { teamId: job.team.id, limit: 10 });
    expect(delivery).toMatchObject({ attempts: 1, status: 'failed' });
    const again = await redeliver(db, { id: delivery?.id ?? '', teamId: job.team.id });
    expect(again).toMatchObject({ id: delivery?.id, status: 'pending', attempts: 1, last_error: 'no' });
    expect(await due(job)).toMatchObject([{ id: delivery?.id, attempts: 1 }]);
  });
});

describe('the webhook secret of a team', () => {
  it('is created with the team and can be changed', async () => {
    const [one, other] = [await makeTeam(db), await makeTeam(db)];
    const { webhook_secret: made } = await findTeam(db, one.name);
    expect(made).toMatch(SECRET);
    expect((await findTeam(db, other.name)).webhook_secret).not.toBe(made);
    await changeTeam(db, one.name, { webhookSecret: 'mine' });
    const job = await makeJob(db, { webhook: HOOK, team: one });
    expect((await findWebhook(db, job.id, 'no secret'))?.secret).toBe('mine');
  });

  it('is created for teams from before webhooks', async () => {
    const name = `before_${Date.now()}`;
    await sql`create database ${sql.id(name)}`.execute(db.query);
    const url = new URL(runningDatabaseUrl(service.dataDir));
    url.pathname = `/${name}`;
    const old = openDatabase(url.href, (error) => {
      throw error;
    });
    try {
      // During a migration, the tables may not exist yet.
      const schemaless = old.query as unknown as Kysely<unknown>;
      await makeSpine(schemaless);
      await sql`insert into teams (name) values ('one'), ('other')`.execute(old.query);
      await makeJobs(schemaless);
      const secrets = [
        (await findTeam(old, 'one')).webhook_secret,
        (await findTeam(old, 'other')).webhook_secret,
      ];
      expect(secrets).toEqual([expect.stringMatching(SECRET), expect.stringMatching(SECRET)]);
      expect(secrets[0]).not.toBe(secrets[1]);
    } finally {
      await old.close();
      await sql`drop database ${sql.id(name)}`.execute(db.query);
    }
  });
});
