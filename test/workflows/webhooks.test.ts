import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { redeliver } from '../../src/storage/db/webhooks.ts';
import { Temporal } from '../../src/temporal/workflow-client.ts';
import { call } from '../support/api/call.ts';
import { useSite } from '../support/sites/use-site.ts';
import { useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { DEAD_URL, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';
import {
  deliveriesOf,
  endPages,
  endTestJob,
  makeJob,
  type TestJob,
} from '../support/webhooks/webhook-jobs.ts';
import { type History, replay, silenceReplays } from '../support/workflows/histories.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** One workflow delivers all events of a job, whatever becomes of them; nothing of them is in its history. */

silenceReplays();

const site = useSite();
const db = useDatabase();
const temporal = useTemporal();

const deliveryOf = ({ id }: { id: string }) => temporal.workflow(`webhooks/${id}`);
const start = ({ id, team }: TestJob) =>
  new Temporal(temporal.connection, 'default').startDeliveries(id, team.id);

const count = (
  history: History,
  attributes: 'activityTaskScheduledEventAttributes' | 'timerStartedEventAttributes',
) => history.events?.filter((event) => event[attributes]).length;

/**
 * The types of the events, each once; an attempt that a busy machine has given up after ten seconds is
 * repeated.
 */
const eventsOf = ({ received }: Receiver) => [
  ...new Map(received.map(({ event }) => [event.webhookId, event.type])).values(),
];

/** Waits until the delivery workflow of a job has nothing to do before the next retry. */
async function untilAsleep(job: TestJob): Promise<void> {
  await pollUntil(async () =>
    Boolean(count(await deliveryOf(job).fetchHistory(), 'timerStartedEventAttributes')),
  );
}

describe('the delivery workflow of a job', () => {
  it('waits for the next retry, starts again at a redelivery, and ends when nothing is pending', async () => {
    let down = true;
    await using receiver = await startReceiver(() => (down ? 500 : 200));
    const job = await makeJob(db, { webhook: receiver.url, pages: 2 });
    await endPages(db, job, { count: 2, error: 'a.test does not resolve.' });
    await endTestJob(db, job);
    await start(job);
    await untilAsleep(job);
    down = false;
    for (const { id } of await deliveriesOf(db, job)) await redeliver(db, { id, teamId: job.team.id });
    await start(job);
    await deliveryOf(job).result();
    expect(receiver.received).toHaveLength(8);
    const history = await deliveryOf(job).fetchHistory();
    expect(count(history, 'timerStartedEventAttributes')).toBe(1);
    const text = JSON.stringify(historyToJSON(history));
    expect(text).not.toContain('does not resolve');
    expect(text).not.toContain(receiver.url);
    await replay(history, `webhooks/${job.id}`);
  });

  it('tries 2,000 events of an unreachable receiver without an activity for each of them', async () => {
    const job = await makeJob(db, { webhook: DEAD_URL, pages: 2_000 });
    await endPages(db, job, { count: 2_000, error: 'no' });
    await endTestJob(db, job);
    await start(job);
    await untilAsleep(job);
    const handle = deliveryOf(job);
    // A busy machine may need longer for all of them than the minute after which the first ones are tried
    // again.
    expect((await deliveriesOf(db, job)).every(({ attempts }) => attempts >= 1)).toBe(true);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    const history = await handle.fetchHistory();
    // An activity per event would be three events of the history each.
    expect(history.events?.length).toBeLessThan(2_000);
    expect(history.events?.some((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toBe(
      false,
    );
    await handle.terminate();
  });

  it('ends at once for a job that was deleted', async () => {
    const job = await makeJob(db, { webhook: DEAD_URL });
    await db.query.deleteFrom('jobs').where('id', '=', job.id).execute();
    await start(job);
    await deliveryOf(job).result();
  });
});

describe('a batch with a webhook', () => {
  const startBatch = async (webhook: string, pages: number): Promise<{ id: string }> => {
    const urls = Array.from({ length: pages }, (_, n) => `${site.url}/article/${n}`);
    return (await call('/v2/batch/scrape', { body: { urls, webhook } })).body;
  };

  it('ends before its deliveries, which continue', async () => {
    const freed = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => freed.promise);
    const batch = await startBatch(receiver.url, 1);
    await temporal.workflow(`batch/${batch.id}`).result();
    expect((await deliveryOf(batch).describe()).status.name).toBe('RUNNING');
    freed.resolve(200);
    await deliveryOf(batch).result();
    expect(eventsOf(receiver)).toHaveLength(3);
  });

  it('that is cancelled does not cancel its deliveries', async () => {
    const freed = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => freed.promise);
    const { body } = await call('/v2/batch/scrape', {
      body: { urls: [`${site.url}/slow/60000/article/1`], webhook: receiver.url },
    });
    await receiver.until(1);
    await call(`/v2/batch/scrape/${body.id}`, { method: 'DELETE' });
    await expect(temporal.workflow(`batch/${body.id}`).result()).rejects.toThrow();
    freed.resolve(200);
    await deliveryOf(body).result();
    expect(eventsOf(receiver)).toEqual(['batch_scrape.started']);
    expect((await deliveryOf(body).describe()).status.name).toBe('COMPLETED');
  });

  it('that gets more pages resumes or restarts its deliveries', async () => {
    await using receiver = await startReceiver();
    const batch = await startBatch(receiver.url, 2);
    await receiver.until(4);
    await deliveryOf(batch).result();
    const more = { urls: [`${site.url}/article/7`], appendToId: batch.id };
    expect((await call('/v2/batch/scrape', { body: more })).status).toBe(200);
    await receiver.until(6);
    await deliveryOf(batch).result();
    expect(eventsOf(receiver).slice(3)).toEqual([
      'batch_scrape.completed',
      'batch_scrape.page',
      'batch_scrape.completed',
    ]);
  });
});

/**
 * Histories of earlier versions: one that no longer replays means that deliveries under way during an update
 * break.
 */
