import { isTag } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduleIdOf } from '../../src/job-kinds.ts';
import { restoreSchedules, ScheduleCount } from '../../src/jobs/monitors/schedules.ts';
import { findTeam } from '../../src/storage/db/teams/teams.ts';
import { monitorSchedules } from '../../src/temporal/monitor-schedules.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { declaredBody, type Received, startReceiver } from '../support/webhooks/receiver.ts';
import { signatureOf } from '../support/webhooks/webhook-jobs.ts';
import { runUpkeep } from '../support/workflows/upkeep.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** Monitors from the API through Temporal's schedules to webhooks. */

type Body = ApiResponse['body'];

const service = useService();
const db = useDatabase();
const temporal = useTemporal();
const DAILY = { text: 'daily at 9:00', timezone: 'Europe/Berlin' };
let site: Pages;
let price = 12;
let visits = 0;
let isDown = false;
let flakyStatus = 200;
let held = Promise.resolve();

const shop = () =>
  `<!doctype html><title>Shop</title><main><h1>Shop</h1><p>The lamp costs ${price} euros.</p>
<p>Updated ${visits} minutes ago.</p><p>Seen by ${visits * 13} people.</p></main>`;

beforeAll(async () => {
  site = await startPages({
    '/': (_request, response) => {
      visits++;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(shop());
    },
    '/still':
      '<!doctype html><title>Still</title><main><h1>Still</h1><p>Nothing happens on this page.</p></main>',
    '/down': (_request, response) =>
      void response
        .writeHead(isDown ? 503 : 200, { 'Content-Type': 'text/html' })
        .end('<!doctype html><title>Up</title><main><h1>Up</h1><p>The page is here.</p></main>'),
    '/flaky': (_request, response) =>
      void response
        .writeHead(flakyStatus, { 'Content-Type': 'text/html' })
        .end('<!doctype html><title>Flaky</title><main><p>The page is here now and then.</p></main>'),
    '/held': async (_request, response) => {
      await held;
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end('<!doctype html><title>Held</title><main><p>The page came late.</p></main>');
    },
  });
});
afterAll(() => site?.[Symbol.asyncDispose]());

async function create(team: TestTeam, fields: Record<string, unknown>): Promise<Body> {
  const { body } = await call('/v2/monitor', {
    body: { name: 'Shop', schedule: DAILY, targets: [{ type: 'scrape', urls: [`${site.url}/`] }], ...fields },
    key: team.key,
  });
  expect(body).toMatchObject({ success: true });
  return body.data;
}

const get = async (path: string, { key }: TestTeam): Promise<Body> => (await call(path, { key })).body;
const run = async (id: string, { key }: TestTeam): Promise<Body> =>
  (await call(`/v2/monitor/${id}/run`, { body: {}, key })).body;

/** Waits until a monitor has as many checks that have ended. @returns the checks, newest first */
const ended = (id: string, team: TestTeam, count: number): Promise<Body[]> =>
  pollUntil(async () => {
    const { data } = await get(`/v2/monitor/${id}/checks`, team);
    const isEnded = data.every(({ status }: Body) => status !== 'running');
    return data.length === count && isEnded && data;
  });

const check = async (monitorId: string, checkId: string, team: TestTeam): Promise<Body> =>
  (await get(`/v2/monitor/${monitorId}/checks/${checkId}`, team)).data;

/** Runs a check and waits for its end. @returns the check with its pages */
async function runOnce(id: string, team: TestTeam): Promise<Body> {
  const { id: checkId } = await run(id, team);
  return pollUntil(async () => {
    const data = await check(id, checkId, team);
    return data.status !== 'running' && data;
  });
}

/** Begins checks as schedules do. */
async function becomeDue(monitorId: string, count: number): Promise<void> {
  // One after the other, because two workflows that start in the same millisecond are the same check.
  for (let n = 0; n < count; n++)
    await temporal.client.workflow.execute('monitorDue', {
      workflowId: `monitor-due/${monitorId}-test-${n}`,
      taskQueue: 'scrape',
      args: [{ monitorId }],
    });
}

/** Reads a feed, and requires of it what RFC 4287 does. */
function feedOf(xml: string) {
  const document = parseDocument(xml, { xmlMode: true });
  const root = findOne(({ name }) => name === 'feed', document.children)!;
  expect(root.attribs).toEqual({ xmlns: 'http://www.w3.org/2005/Atom' });
  const childOf = (parent: typeof root, name: string, rel?: string) => {
    const found = parent.children
      .filter(isTag)
      .filter((each) => each.name === name && each.attribs.rel === rel);
    expect(found, name).toHaveLength(1);
    return found[0]!;
  };
  const textOf = (parent: typeof root, name: string) => textContent(childOf(parent, name));
  const describeAll = (parent: typeof root) => {
    const updated = textOf(parent, 'updated');
    expect(new Date(updated).toISOString()).toBe(updated);
    return { id: textOf(parent, 'id'), title: textOf(parent, 'title') };
  };
  expect(textContent(childOf(childOf(root, 'author'), 'name'))).toBe('Winnow');
  return {
    ...describeAll(root),
    self: childOf(root, 'link', 'self').attribs.href,
    entries: root.children
      .filter(isTag)
      .filter(({ name }) => name === 'entry')
      .map((entry) => ({
        ...describeAll(entry),
        link: childOf(entry, 'link', 'alternate').attribs.href,
        content: textOf(entry, 'content'),
      })),
  };
}

describe('a monitor', () => {
  it('tells by its schedule and a signed webhook what changed', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db, { credits: 100 });
    const webhook = { url: receiver.url, metadata: { for: 'us' } };
    const { id } = await create(team, { webhook });
    const schedule = temporal.client.schedule.getHandle(scheduleIdOf(id));
    expect((await schedule.describe()).state).toMatchObject({ paused: false, note: `Shop: ${site.url}/` });

    price = 12;
    await schedule.trigger();
    const [first] = await ended(id, team, 1);
    expect(first).toMatchObject({
      status: 'completed',
      trigger: 'scheduled',
      summary: { totalPages: 1, new: 1 },
    });
    price = 9;
    const second = await runOnce(id, team);
    expect(second).toMatchObject({ status: 'completed', trigger: 'manual', actualCredits: 1 });
    const [page] = second.pages;
    expect(page).toMatchObject({
      url: `${site.url}/`,
      status: 'changed',
      targetId: 'target-1',
      statusCode: 200,
    });
    expect(page.diff.text).toContain('-The lamp costs 12 euros.\n+The lamp costs 9 euros.');

    const received = await receiver.until(4);
    expect(received.map(({ event }: Received) => event.type)).toEqual([
      'monitor.page',
      'monitor.check.completed',
      'monitor.page',
      'monitor.check.completed',
    ]);
    const secret = (await findTeam(db, team.name)).webhook_secret ?? '';
    for (const each of received) {
      expect(each.headers['x-service-signature']).toBe(signatureOf(each, secret));
      expect(declaredBody(each)).toEqual(each.event);
    }
    expect(received[2]?.event).toMatchObject({
      success: true,
      id: second.id,
      metadata: { for: 'us' },
      data: [{ monitorId: id, checkId: second.id, url: `${site.url}/`, status: 'changed', diff: page.diff }],
    });
    expect(received[3]?.event.data).toMatchObject([
      { status: 'completed', summary: { changed: 1, totalPages: 1 } },
    ]);
    expect((await findTeam(db, team.name)).credits_remaining).toBe(98);
  });

  it('finds no change where only relative times, counters and times of visits differ', async () => {
    const team = await makeTeam(db);
    const { id } = await create(team, {
      targets: [{ type: 'scrape', urls: [`${site.url}/`, `${site.url}/still`] }],
    });
    await runOnce(id, team);
    // The number of people counts as a change unless numbers are left out.
    const target = { type: 'scrape', urls: [`${site.url}/`, `${site.url}/still`] };
    const detecting = { ...target, changeDetection: { ignorePatterns: ['^Seen by'] } };
    const { body } = await call(`/v2/monitor/${id}`, {
      method: 'PATCH',
      body: { targets: [detecting] },
      key: team.key,
    });
    expect(body.data.targets).toMatchObject([
      { changeDetection: { ignorePatterns: ['^Seen by'] }, id: 'target-1' },
    ]);
    const { summary } = await runOnce(id, team);
    expect(summary).toEqual({ totalPages: 2, same: 2, changed: 0, new: 0, removed: 0, error: 0 });
  });

  it('watches sites and searches besides pages', async () => {
    const team = await makeTeam(db);
    await using other = await startPages({
      '/': '<title>Start</title><main><p>A start with words.</p><a href="/a">a</a><a href="/b">b</a></main>',
      '/a': '<title>A</title><main><p>The page a is about zeppelins.</p></main>',
      '/b': '<title>B</title><main><p>The page b is about balloons.</p></main>',
    });
    const { id } = await create(team, {
      targets: [
        { type: 'crawl', id: 'site', url: other.url, crawlOptions: { limit: 10 } },
        { type: 'search', id: 'words', queries: ['zeppelins'] },
      ],
      judgeEnabled: false,
    });
    const first = await runOnce(id, team);
    const crawled = first.pages.filter(({ targetId }: Body) => targetId === 'site');
    expect(crawled.map(({ url, status }: Body) => [url, status]).toSorted()).toEqual(
      ['/', '/a', '/b'].map((path) => [`${other.url}${path}`, 'new']),
    );
    // The search has found the pages that the team had scraped by then.
    const second = await runOnce(id, team);
    const found = second.pages.filter(({ targetId }: Body) => targetId === 'words');
    expect(found).toMatchObject([{ url: `${other.url}/a`, metadata: { query: 'zeppelins' } }]);
    expect(second).toMatchObject({ status: 'completed', summary: { changed: 0, removed: 0, error: 0 } });
    expect(second.targetResults).toMatchObject([
      { targetId: expect.any(String) },
      { targetId: expect.any(String) },
    ]);
  });

  it('does not take a page that fails for one that changed, and compares it when it is back', async () => {
    const team = await makeTeam(db);
    const { id } = await create(team, {
      targets: [{ type: 'scrape', urls: [`${site.url}/down`], scrapeOptions: { fastMode: true } }],
    });
    isDown = false;
    expect(await runOnce(id, team)).toMatchObject({ status: 'completed', summary: { new: 1 } });
    isDown = true;
    const failed = await runOnce(id, team);
    expect(failed).toMatchObject({ status: 'failed', summary: { error: 1, totalPages: 1 } });
    expect(failed.pages).toMatchObject([
      { status: 'error', statusCode: 503, error: 'The page responded with HTTP 503.' },
    ]);
    isDown = false;
    expect(await runOnce(id, team)).toMatchObject({
      status: 'completed',
      summary: { same: 1, totalPages: 1 },
    });
  });

  it('tells once that a page cannot be read, after enough failures in a row, and once that it is read again', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    const target = { type: 'scrape', urls: [`${site.url}/flaky`], scrapeOptions: { fastMode: true } };
    const { id } = await create(team, {
      webhook: { url: receiver.url, events: ['page'] },
      targets: [
        { ...target, id: 'patient' },
        { ...target, id: 'hasty', changeDetection: { failureThreshold: 1 } },
      ],
    });
    const failed: number[][] = [];
    // A page that was never there is not scraped a second time in a check, which takes long.
    for (const status of [404, 404, 404, 200]) {
      flakyStatus = status;
      const { pages } = await runOnce(id, team);
      failed.push(pages.map(({ failures }: Body) => failures));
    }
    expect(failed).toEqual([1, 2, 3, 0].map((count) => [count, count]));
    const received = await receiver.until(4);
    for (const each of received) expect(declaredBody(each)).toEqual(each.event);
    const toldOf = (name: string) =>
      received
        .map(({ event }: Received) => event.data[0])
        .filter(({ targetId }: Body) => targetId === name)
        .map(({ status, failures, isRecovered }: Body) => [status, failures, isRecovered]);
    const recovered = ['new', 0, true];
    expect(toldOf('patient')).toEqual([['error', 2, false], recovered]);
    expect(toldOf('hasty')).toEqual([['error', 1, false], recovered]);
  });

  it('stores a check that becomes due while another one runs as skipped', async () => {
    const team = await makeTeam(db);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const { id } = await create(team, { targets: [{ type: 'scrape', urls: [`${site.url}/held`] }] });
    await becomeDue(id, 2);
    expect((await call(`/v2/monitor/${id}/run`, { body: {}, key: team.key })).body).toMatchObject({
      code: 'JOB_RUNNING',
    });
    resolve();
    const checks = await ended(id, team, 2);
    expect(checks.map(({ status }) => status).toSorted()).toEqual(['completed', 'skipped_overlap']);
  });

  it('says that its changes are not judged where it has a goal', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    const { id } = await create(team, {
      goal: 'The lamp becomes cheaper.',
      webhook: { url: receiver.url, events: ['check.completed'] },
      targets: [{ type: 'scrape', urls: [`${site.url}/still`] }],
    });
    const { warning } = await runOnce(id, team);
    expect(warning).toContain('are not judged by the goal');
    const [told] = await receiver.until(1);
    expect(told && declaredBody(told)).toEqual(told?.event);
    expect(told?.event.data[0].warning).toBe(warning);
    for (const [path, body] of [
      ['judge', { goal: 'Anything' }],
      ['ask', { question: 'When?' }],
    ] as const)
      expect((await call(`/v2/monitor/${id}/${path}`, { body, key: team.key })).body).toMatchObject({
        code: 'MODEL_NOT_CONFIGURED',
      });
    const judged = { method: 'PATCH', body: { judgeEnabled: false }, key: team.key };
    await call(`/v2/monitor/${id}`, judged);
    expect((await runOnce(id, team)).warning).toBeNull();
  });

  it('is judged by a goal that it gets later, unless judging was turned off', async () => {
    const team = await makeTeam(db);
    const { id, judgeEnabled } = await create(team, {});
    expect(judgeEnabled).toBe(false);
    const change = async (body: Record<string, unknown>) =>
      (await call(`/v2/monitor/${id}`, { method: 'PATCH', body, key: team.key })).body.data;
    const goal = 'The lamp becomes cheaper.';
    expect(await change({ name: 'Lamp' })).toMatchObject({ goal: null, judgeEnabled: false });
    expect(await change({ goal })).toMatchObject({ goal, judgeEnabled: true });
    expect(await change({ judgeEnabled: false })).toMatchObject({ goal, judgeEnabled: false });
    expect(await change({ goal: 'A new lamp.' })).toMatchObject({ judgeEnabled: false });
    expect(await change({ goal: null })).toMatchObject({ goal: null, judgeEnabled: false });
    expect(await change({ goal, judgeEnabled: false })).toMatchObject({ goal, judgeEnabled: false });
  });

  it('finds a change also where the check before has expired', async () => {
    const team = await makeTeam(db);
    price = 12;
    const { id } = await create(team, { retentionDays: 1 });
    const first = await runOnce(id, team);
    const gone = await runOnce((await create(team, {})).id, team);
    const old = new Date(Date.now() - 48 * 3_600_000);
    await db.query
      .updateTable('jobs')
      .set({ expires_at: old, created_at: old })
      .where('id', 'in', [first.id, gone.id])
      .execute();
    await call(`/v2/monitor/${gone.monitorId}`, { method: 'DELETE', key: team.key });
    await runUpkeep(service.temporalAddress);
    // The check of a deleted monitor shows when upkeep has deleted checks.
    await pollUntil(async () => {
      const left = await db.query.selectFrom('jobs').select('id').where('id', '=', gone.id).execute();
      return left.length === 0;
    });
    price = 9;
    expect((await runOnce(id, team)).pages).toMatchObject([{ status: 'changed' }]);
  });

  it('compares data by rules alone', async () => {
    const team = await makeTeam(db);
    price = 12;
    const schema = { type: 'object', properties: { title: { type: 'string' } } };
    const formats = [{ type: 'deterministicJson', schema }];
    const { id } = await create(team, {
      targets: [{ type: 'scrape', urls: [`${site.url}/`], scrapeOptions: { formats } }],
    });
    expect((await runOnce(id, team)).pages).toMatchObject([
      { status: 'new', snapshot: { json: { title: 'Shop' } } },
    ]);
    price = 9;
    expect((await runOnce(id, team)).pages).toMatchObject([
      { status: 'same', snapshot: { json: { title: 'Shop' } } },
    ]);
  });

  it('has its news as a feed at a signed URL', async () => {
    const team = await makeTeam(db);
    const { id, feedUrl } = await create(team, {});
    const read = async (headers: Record<string, string> = {}) => {
      const response = await fetch(feedUrl, { headers });
      return { response, text: await response.text() };
    };
    price = 12;
    await runOnce(id, team);
    expect(feedOf((await read()).text)).toMatchObject({ id: `urn:uuid:${id}`, title: 'Shop', entries: [] });
    price = 9;
    const { pages } = await runOnce(id, team);
    const { response, text } = await read();
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const { entries, self } = feedOf(text);
    expect(self).toBe(feedUrl);
    expect(entries).toMatchObject([
      { id: `urn:uuid:${pages[0].id}`, title: 'Shop: changed', link: `${site.url}/` },
    ]);
    expect(entries[0]?.content).toMatch(/costs <del [^>]*>12<\/del> euros\./);
    const etag = response.headers.get('etag') ?? '';
    expect((await read({ 'If-None-Match': etag })).response.status).toBe(304);
    price = 8;
    await runOnce(id, team);
    expect((await read({ 'If-None-Match': etag })).response.status).toBe(200);
    expect((await fetch(`${feedUrl.slice(0, -2)}xx`)).status).toBe(404);
  });

  it('belongs to the groups of its tags, by which monitors are listed and counted', async () => {
    const team = await makeTeam(db);
    const { id } = await create(team, { tags: ['shop', 'lamps', 'shop'] });
    const other = await create(team, {});
    expect([(await get(`/v2/monitor/${id}`, team)).data.tags, other.tags]).toEqual([['shop', 'lamps'], []]);
    const change = { method: 'PATCH', body: { tags: ['shop'] }, key: team.key };
    await call(`/v2/monitor/${other.id}`, change);
    const list = await get('/v2/monitor?tag=lamps', team);
    expect(list.data.map((monitor: Body) => monitor.id)).toEqual([id]);
    expect(list.tags).toEqual([
      { tag: 'lamps', monitors: 1 },
      { tag: 'shop', monitors: 2 },
    ]);
    expect((await get('/v2/monitor?tag=other', team)).data).toEqual([]);
    expect((await get('/v2/monitor', await makeTeam(db))).tags).toEqual([]);
    const refused = await call(`/v2/monitor/${id}`, { ...change, body: { tags: ['x'.repeat(51)] } });
    expect(refused.status).toBe(400);
  });

  it('gets another URL for its feed, after which the one before is valid no longer', async () => {
    const team = await makeTeam(db);
    const [first, other] = [await create(team, {}), await create(team, {})];
    const { status, body } = await call(`/v2/monitor/${first.id}/feed/rotate`, { body: {}, key: team.key });
    expect([status, body.data.id]).toEqual([200, first.id]);
    const { feedUrl } = body.data;
    expect((await get(`/v2/monitor/${first.id}`, team)).data.feedUrl).toBe(feedUrl);
    const responses = await Promise.all([first.feedUrl, feedUrl, other.feedUrl].map((url) => fetch(url)));
    expect(responses.map((response) => response.status)).toEqual([404, 200, 200]);
    expect(await responses[0]?.text()).toContain('was replaced');
    expect(feedOf(await responses[1]!.text())).toMatchObject({ self: feedUrl });
    const stranger = await makeTeam(db);
    const path = `/v2/monitor/${first.id}/feed/rotate`;
    expect((await call(path, { body: {}, key: stranger.key })).status).toBe(404);
    expect((await fetch(feedUrl)).status).toBe(200);
  });

  it('sends no mail where the operator has no mail server, and says so', async () => {
    const email = { enabled: true, recipients: ['reader@example.com'] };
    const body = { name: 'x', schedule: DAILY, targets: [{ type: 'scrape', urls: [site.url] }] };
    const refused = await call('/v2/monitor', { body: { ...body, notification: { email } } });
    expect(refused).toMatchObject({ status: 400, body: { code: 'FEATURE_NOT_AVAILABLE' } });
    expect(refused.body.error).toContain('WINNOW_SMTP_URL');
    const off = { ...body, notification: { email: { ...email, enabled: false } } };
    expect((await call('/v2/monitor', { body: off })).status).toBe(200);
  });

  it('has the history of a page: any two checks compared, and the values of its data as series', async () => {
    const team = await makeTeam(db);
    const schema = { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } };
    await using shop = await startPages({
      '/lamp': (_request, response) =>
        void response.writeHead(200, { 'Content-Type': 'text/html' }).end(
          `<title>Lamp</title><script type="application/ld+json">${JSON.stringify({
            '@context': 'https://schema.org',
            '@type': 'Product',
            name: 'Lamp',
            offers: { '@type': 'Offer', price, priceCurrency: 'EUR' },
          })}</script><main><h1>Lamp</h1><p>The lamp costs ${price} euros.</p></main>`,
        ),
      '/other': '<title>Other</title><main><p>Another page of the shop.</p></main>',
    });
    const url = `${shop.url}/lamp`;
    const formats = ['markdown', { type: 'json', schema }];
    const { id } = await create(team, {
      targets: [{ type: 'scrape', urls: [url, `${shop.url}/other`], scrapeOptions: { formats } }],
    });
    const checks: Body[] = [];
    for (const each of [12, 9, 15, 12]) {
      price = each;
      checks.push(await runOnce(id, team));
    }
    const path = `/v2/monitor/${id}`;
    const of = `url=${encodeURIComponent(url)}`;
    const history = (await get(`${path}/history?${of}`, team)).data;
    expect(history.map(({ checkId, status }: Body) => [checkId, status])).toEqual(
      checks.toReversed().map(({ id: checkId }, index) => [checkId, index === 3 ? 'new' : 'changed']),
    );
    expect(history).toMatchObject(Array(4).fill({ url, targetId: 'target-1', hasVersion: true }));
    expect((await get(`${path}/history?${of}&limit=2`, team)).data).toEqual(history.slice(0, 2));

    const compare = async (from: number, to: number) =>
      (await get(`${path}/compare?${of}&from=${checks[from].id}&to=${checks[to].id}`, team)).data;
    const found = await compare(0, 2);
    expect(found.diff.text).toContain('-The lamp costs 12 euros.\n+The lamp costs 15 euros.');
    expect(found.diff.json).toEqual({ price: { previous: 12, current: 15 } });
    expect(found).toMatchObject({ url, isSame: false, from: { checkId: checks[0].id } });
    expect(await compare(0, 3)).toMatchObject({ isSame: true, diff: null });
    expect(await get(`${path}/compare?${of}&from=${id}&to=${checks[1].id}`, team)).toMatchObject({
      code: 'NOT_FOUND',
      error: expect.stringContaining('has no text of this page'),
    });

    const series = (await get(`${path}/series?${of}`, team)).data;
    expect(series.map(({ field }: Body) => field)).toEqual(['name', 'price']);
    const [prices] = (await get(`${path}/series?${of}&field=price`, team)).data;
    expect(prices).toEqual(series[1]);
    expect(prices.points.map(({ checkId, value }: Body) => [checkId, value])).toEqual(
      checks.map(({ id: checkId }, index) => [checkId, [12, 9, 15, 12][index]]),
    );
    expect((await get(`${path}/history`, team)).error).toContain('watches several pages');
  });

  it('skips a check that the team cannot pay', async () => {
    const team = await makeTeam(db, { credits: 1 });
    const { id } = await create(team, {
      targets: [{ type: 'scrape', urls: [`${site.url}/`, `${site.url}/still`] }],
    });
    await becomeDue(id, 1);
    const [skipped] = await ended(id, team, 1);
    expect(skipped).toMatchObject({
      status: 'skipped_no_credits',
      billingStatus: 'not_applicable',
      actualCredits: 0,
    });
    expect(skipped.error).toBe('a check needs 2 credits, and the team has 1 that are not reserved.');
  });

  it('gets its schedule back when Temporal has lost it', async () => {
    const team = await makeTeam(db);
    const { id } = await create(team, {});
    const schedule = temporal.client.schedule.getHandle(scheduleIdOf(id));
    await schedule.delete();
    await runUpkeep(service.temporalAddress);
    const { spec } = await pollUntil(() => schedule.describe().catch(() => undefined));
    expect(spec.timezone).toBe('Europe/Berlin');
    // Other files add and delete monitors meanwhile, and the index of Temporal is late.
    const schedules = monitorSchedules(temporal.client);
    await pollUntil(async () => {
      let listed = 0;
      for await (const _ of schedules.list()) listed++;
      return listed > 0 && listed === (await schedules.count());
    });
  });

  it('whose schedule Temporal refuses keeps no other from getting its own', async () => {
    const team = await makeTeam(db);
    const [bad, good] = [await create(team, {}), await create(team, {})];
    const faults: string[] = [];
    const stored: string[] = [];
    const schedules = {
      async put({ id }: { id: string }) {
        if (id === bad.id) throw new Error('Temporal does not know this time');
        stored.push(id);
      },
      remove: async () => undefined,
      async *list() {
        yield* [];
      },
      count: async () => 0,
    };
    await restoreSchedules(db, schedules, {
      count: new ScheduleCount(),
      onFault: (_error, id) => faults.push(id),
    });
    expect(faults).toContain(bad.id);
    expect(stored).toContain(good.id);
  });

  it('is paused and resumed with its schedule, and deleted with it', async () => {
    const team = await makeTeam(db);
    const { id } = await create(team, {});
    const schedule = temporal.client.schedule.getHandle(scheduleIdOf(id));
    const change = (body: object) => call(`/v2/monitor/${id}`, { method: 'PATCH', body, key: team.key });
    expect((await change({ status: 'paused' })).body.data).toMatchObject({
      status: 'paused',
      nextRunAt: null,
    });
    expect((await schedule.describe()).state.paused).toBe(true);
    expect((await change({ status: 'active' })).body.data.nextRunAt).toMatch(/T0[78]:00:00\.000Z$/);
    expect((await schedule.describe()).state.paused).toBe(false);
    expect((await call(`/v2/monitor/${id}`, { method: 'DELETE', key: team.key })).body).toEqual({
      success: true,
    });
    await expect(schedule.describe()).rejects.toThrow();
    expect((await call(`/v2/monitor/${id}`, { key: team.key })).status).toBe(404);
  });

  it('that is deleted ends its running check and what the check has begun', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const { id } = await create(team, {
      webhook: { url: receiver.url, events: ['check.completed'] },
      targets: [{ type: 'scrape', urls: [`${site.url}/held`] }],
    });
    const { id: checkId } = await run(id, team);
    expect((await call(`/v2/monitor/${id}`, { method: 'DELETE', key: team.key })).body).toEqual({
      success: true,
    });
    const jobs = await db.query
      .selectFrom('monitor_jobs')
      .innerJoin('jobs', 'jobs.id', 'job_id')
      .select(['jobs.status'])
      .where('check_id', '=', checkId)
      .execute();
    expect(jobs).toEqual([{ status: 'cancelled' }]);
    const [told] = await receiver.until(1);
    expect(told?.event).toMatchObject({
      success: false,
      type: 'monitor.check.completed',
      data: [{ checkId, status: 'failed', error: 'The monitor was deleted.' }],
    });
    resolve();
  });

  it('of another team cannot be seen, changed or run', async () => {
    const [owner, other] = [await makeTeam(db), await makeTeam(db)];
    const { id } = await create(owner, {});
    for (const [method, path, body] of [
      ['GET', `/v2/monitor/${id}`],
      ['GET', `/v2/monitor/${id}/checks`],
      ['GET', `/v2/monitor/${id}/checks/${id}`],
      ['GET', `/v2/monitor/${id}/history`],
      ['GET', `/v2/monitor/${id}/series`],
      ['GET', `/v2/monitor/${id}/compare?from=${id}&to=${id}`],
      ['PATCH', `/v2/monitor/${id}`, { name: 'Mine' }],
      ['POST', `/v2/monitor/${id}/run`, {}],
      ['DELETE', `/v2/monitor/${id}`],
    ] as const)
      expect(
        (await call(path, { method, ...(body && { body }), key: other.key })).status,
        `${method} ${path}`,
      ).toBe(404);
    expect((await get('/v2/monitor', other)).data).toEqual([]);
  });
});
