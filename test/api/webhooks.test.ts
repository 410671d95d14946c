import { beforeAll, describe, expect, it } from 'vitest';
import { changeTeam, findTeam } from '../../src/storage/db/teams/teams.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { DEAD_URL, declaredBody, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';
import {
  deliveriesOf,
  endPages,
  endTestJob,
  makeJob,
  signatureOf,
} from '../support/webhooks/webhook-jobs.ts';

/** Webhooks of real jobs, and what the API tells of their deliveries. */

type Body = ApiResponse['body'];

const site = useSite();
const db = useDatabase();

const articles = (count: number) => Array.from({ length: count }, (_, n) => `${site.url}/article/${n}`);

async function startBatch(body: Record<string, unknown>, key?: string): Promise<string> {
  const answer = await call('/v2/batch/scrape', { body, ...(key !== undefined && { key }) });
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.id;
}

/** Reads the status of a job until it has ended. */
function ended(path: string, key?: string): Promise<Body> {
  return pollUntil(async () => {
    const { body } = await call(path, key === undefined ? {} : { key });
    return body.status !== 'scraping' && body;
  });
}

async function list(query: string, key?: string): Promise<Body> {
  const answer = await call(`/v2/webhooks/deliveries?${query}`, key === undefined ? {} : { key });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

/** Reads the deliveries of a job until none of them is open. */
function settled(jobId: string, key?: string): Promise<Body[]> {
  return pollUntil(async () => {
    const { data } = await list(`jobId=${jobId}&limit=100`, key);
    return data.length > 0 && data.every(({ status }: Body) => status !== 'pending') && data;
  });
}

const redeliver = (id: string, key?: string) =>
  call(`/v2/webhooks/deliveries/${id}/redeliver`, { method: 'POST', ...(key !== undefined && { key }) });

const typesOf = ({ received }: Receiver) => received.map(({ event }) => event.type);

describe('the webhook of a batch', () => {
  it('receives its start, every document and its end, signed with the secret of the team', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    const webhook = { url: receiver.url, metadata: { run: 'one' }, headers: { 'X-Tenant': 't1' } };
    const urls = [...articles(10), 'http://10.1.2.3/page'];
    const id = await startBatch({ urls, webhook, maxAge: 0 }, team.key);
    const job = await ended(`/v2/batch/scrape/${id}`, team.key);
    await receiver.until(13);
    const types = typesOf(receiver);
    expect([types.at(0), types.at(-1)]).toEqual(['batch_scrape.started', 'batch_scrape.completed']);
    expect(types.slice(1, -1)).toEqual(Array(11).fill('batch_scrape.page'));

    const events = receiver.received.map(({ event }) => event);
    const documents = events.filter(({ success, type }) => success && type.endsWith('.page'));
    const byScrape = (one: Body, other: Body) => one.metadata.scrapeId.localeCompare(other.metadata.scrapeId);
    expect(documents.flatMap(({ data }) => data).toSorted(byScrape)).toEqual(job.data.toSorted(byScrape));
    const [failed] = events.filter(({ success }) => !success);
    expect(failed.data).toEqual([
      { metadata: { sourceURL: 'http://10.1.2.3/page', scrapeId: expect.any(String) } },
    ]);
    expect(failed.error).toMatch(/^10\.1\.2\.3 is a private or reserved address/);

    const secret = (await findTeam(db, team.name)).webhook_secret ?? '';
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    for (const each of receiver.received) {
      expect(each.event).toMatchObject({ id, metadata: { run: 'one' } });
      expect(declaredBody(each)).toEqual(each.event);
      expect(each.headers).toMatchObject({
        'x-tenant': 't1',
        'x-service-signature': signatureOf(each, secret),
        'x-firecrawl-signature': signatureOf(each, secret),
      });
    }
    expect(new Set(events.map(({ webhookId }) => webhookId)).size).toBe(13);
    for (const delivery of await settled(id, team.key)) {
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, responseStatus: 200, error: null });
    }
  });

  it('receives only the requested events', async () => {
    await using receiver = await startReceiver();
    const webhook = { url: receiver.url, events: ['batch_scrape.completed', 'crawl.page'] };
    const id = await startBatch({ urls: articles(3), webhook });
    await receiver.until(1);
    await settled(id);
    expect(typesOf(receiver)).toEqual(['batch_scrape.completed']);
  });

  it('that hangs does not delay the end of the batch', async () => {
    const freed = Promise.withResolvers<number>();
    await using receiver = await startReceiver(() => freed.promise);
    const id = await startBatch({ urls: articles(2), webhook: receiver.url });
    expect(await ended(`/v2/batch/scrape/${id}`)).toMatchObject({ status: 'completed', completed: 2 });
    await receiver.until(1);
    // On a machine that takes more than ten seconds for the batch, the first attempt has been given up.
    expect(typesOf(receiver)[0]).toBe('batch_scrape.started');
    freed.resolve(200);
    await pollUntil(() => typesOf(receiver).includes('batch_scrape.completed'));
    expect(new Set(receiver.received.map(({ event }) => event.webhookId)).size).toBe(4);
  });

  it('that cannot be reached has failed deliveries with the reason', async () => {
    const id = await startBatch({ urls: articles(1), webhook: 'http://10.1.2.3/hook' });
    expect(await ended(`/v2/batch/scrape/${id}`)).toMatchObject({ status: 'completed' });
    for (const delivery of await settled(id)) {
      expect(delivery).toMatchObject({
        status: 'failed',
        attempts: 1,
        responseStatus: null,
        error: expect.stringMatching(/^10\.1\.2\.3 is a private or reserved address/),
        nextAttemptAt: null,
      });
    }
  });

  it('is refused with a helpful message when it is invalid', async () => {
    const answer = await call('/v2/batch/scrape', { body: { urls: articles(1), webhook: 'hooks.test' } });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('webhook.url must be an http or https URL');
    const unknown = { url: 'http://hooks.test', secret: 'x' };
    const other = await call('/v2/batch/scrape', { body: { urls: articles(1), webhook: unknown } });
    expect(other.body.error).toContain('secret (in webhook)');
  });
});

describe('the webhook of a crawl', () => {
  it('receives crawl events, one for each page', async () => {
    await using receiver = await startReceiver();
    const { body } = await call('/v2/crawl', {
      body: { url: `${site.url}/article/1`, limit: 3, webhook: receiver.url },
    });
    const job = await ended(`/v2/crawl/${body.id}`);
    await settled(body.id);
    const types = typesOf(receiver);
    expect([types.at(0), types.at(-1)]).toEqual(['crawl.started', 'crawl.completed']);
    expect(types.filter((type) => type === 'crawl.page')).toHaveLength(job.total);
  });
});

describe('the list of deliveries', () => {
  let team: TestTeam;
  let jobs: { id: string }[];
  beforeAll(async () => {
    team = await makeTeam(db);
    const webhook = DEAD_URL;
    const first = await makeJob(db, { webhook, pages: 4, team });
    await endPages(db, first, { count: 4, error: 'no' });
    await endTestJob(db, first);
    jobs = [first, await makeJob(db, { webhook, team })];
    const [started] = await deliveriesOf(db, first);
    await db.query
      .updateTable('webhook_deliveries')
      .set({ status: 'delivered', attempts: 1, response_status: 200, delivered_at: new Date() })
      .where('id', '=', started?.id ?? '')
      .execute();
  });

  it('is ordered by time, newest first, and paged', async () => {
    const all = await list('', team.key);
    expect(all).toMatchObject({ success: true, cursor: null, has_more: false });
    expect(all.data).toHaveLength(7);
    const times = all.data.map(({ createdAt }: Body) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    const paged: Body[] = [];
    for (let cursor = '', more = true; more; ) {
      const page: Body = await list(`limit=3${cursor}`, team.key);
      expect(page.data.length).toBeLessThanOrEqual(3);
      paged.push(...page.data);
      more = page.has_more;
      cursor = `&cursor=${page.cursor}`;
    }
    expect(paged).toEqual(all.data);
  });

  it('can be filtered', async () => {
    const ofJob = await list(`jobId=${jobs[0]?.id}`, team.key);
    expect(ofJob.data.map(({ jobId }: Body) => jobId)).toEqual(Array(6).fill(jobs[0]?.id));
    expect(ofJob.data.map(({ type }: Body) => type).toSorted()).toEqual([
      'crawl.completed',
      ...Array(4).fill('crawl.page'),
      'crawl.started',
    ]);
    const { data } = await list('status=delivered', team.key);
    expect(data).toEqual([
      {
        id: (await deliveriesOf(db, { id: jobs[0]?.id ?? '', team }))[0]?.id,
        jobId: jobs[0]?.id,
        type: 'crawl.started',
        status: 'delivered',
        attempts: 1,
        responseStatus: 200,
        responseBody: null,
        error: null,
        createdAt: expect.any(String),
        lastAttemptAt: null,
        nextAttemptAt: null,
        deliveredAt: expect.any(String),
      },
    ]);
    expect((await list('status=failed', team.key)).data).toEqual([]);
  });

  it('contains nothing of other teams', async () => {
    const other = await makeTeam(db);
    expect((await list('', other.key)).data).toEqual([]);
    expect((await list(`jobId=${jobs[0]?.id}`, other.key)).data).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'status=open', 'jobId=x', 'cursor=x'])('refuses %s', async (query) => {
    expect((await call(`/v2/webhooks/deliveries?${query}`)).status).toBe(400);
  });
});

describe('a delivery', () => {
  const read = (id: string, key: string) => call(`/v2/webhooks/deliveries/${id}`, { key });

  it('has the body that was sent, and the beginning of the response', async () => {
    await using receiver = await startReceiver();
    const { key } = await makeTeam(db);
    const id = await startBatch({ urls: articles(1), webhook: receiver.url }, key);
    await settled(id, key);
    for (const { event } of await receiver.until(3)) {
      expect((await read(event.webhookId, key)).body).toMatchObject({
        success: true,
        data: { id: event.webhookId, responseStatus: 200, responseBody: 'thanks', event },
      });
    }
    const other = await makeTeam(db);
    expect(await read(receiver.received[0]?.event.webhookId, other.key)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  it('has no body once the document of its page has expired', async () => {
    const job = await makeJob(db, { webhook: DEAD_URL, pages: 1 });
    await endPages(db, job, { count: 1, blob: 'f'.repeat(64) });
    const rows = await deliveriesOf(db, job);
    const ofType = async (type: string) => {
      const { id } = rows.find((row) => row.type === type) ?? { id: '' };
      return (await read(id, job.team.key)).body.data;
    };
    expect(await ofType('crawl.page')).toMatchObject({ type: 'crawl.page', event: null });
    expect(await ofType('crawl.started')).toMatchObject({ event: { type: 'crawl.started', data: [] } });
  });

  it('has nothing of the event and the response with zero data retention', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    await changeTeam(db, team.name, { zeroDataRetention: true });
    const body = { urls: articles(1), webhook: receiver.url, zeroDataRetention: true };
    const id = await startBatch(body, team.key);
    await receiver.until(3);
    for (const delivery of await settled(id, team.key)) {
      expect(delivery).toMatchObject({ responseStatus: 200, responseBody: null });
      expect((await read(delivery.id, team.key)).body.data).toMatchObject({ event: null });
    }
  });
});

describe('redelivery', () => {
  it('sends a delivered event again, under the same webhookId', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    const id = await startBatch({ urls: articles(2), webhook: receiver.url }, team.key);
    await ended(`/v2/batch/scrape/${id}`, team.key);
    const before = await settled(id, team.key);
    const { id: webhookId } = before.find(({ type }) => type === 'batch_scrape.completed');
    const answer = await redeliver(webhookId, team.key);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      id: webhookId,
      status: 'pending',
      attempts: 1,
      deliveredAt: null,
    });
    await receiver.until(5);
    const [first, again] = receiver.received.filter(({ event }) => event.webhookId === webhookId);
    expect(again?.raw.equals(first?.raw ?? Buffer.of())).toBe(true);
    const after = await settled(id, team.key);
    expect(after.find((delivery) => delivery.id === webhookId)).toMatchObject({
      status: 'delivered',
      attempts: 2,
    });
  });

  it('sends a pending delivery at once', async () => {
    let down = true;
    await using receiver = await startReceiver(() => (down ? 500 : 200));
    const id = await startBatch({ urls: articles(1), webhook: { url: receiver.url, events: ['completed'] } });
    await receiver.until(1);
    await pollUntil(async () => (await list(`jobId=${id}`)).data[0].attempts === 1);
    down = false;
    await redeliver(receiver.received[0]?.event.webhookId);
    expect(await settled(id)).toMatchObject([{ status: 'delivered', attempts: 2, responseStatus: 200 }]);
    expect(receiver.received).toHaveLength(2);
  });

  it('is refused for deliveries of other teams and unknown ones', async () => {
    const team = await makeTeam(db);
    const job = await makeJob(db, { webhook: DEAD_URL, team });
    const [delivery] = await deliveriesOf(db, job);
    const missing = await redeliver('01890000-0000-7000-8000-000000000000');
    expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
    expect((await redeliver(delivery?.id ?? '')).status).toBe(404);
    expect((await redeliver('nonsense')).status).toBe(400);
    await endTestJob(db, job);
    await db.query
      .updateTable('jobs')
      .set({ expires_at: new Date(0) })
      .where('id', '=', job.id)
      .execute();
    expect((await redeliver(delivery?.id ?? '', team.key)).status).toBe(404);
  });
});
