import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob, untilStatus } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** How many pages of a batch are scraped at once, and what the team can do meanwhile. */

const PATH = '/v2/batch/scrape';
/** Pages are held back for as long as a busy machine takes for the others. */
const HELD = { fastMode: true, timeout: 300_000 };

const db = useDatabase();
const temporal = useTemporal();

/** A site whose pages are held back until they are let go; it counts how many it has open. */
async function startHeld() {
  const held = new Set<() => void>();
  const seen = { most: 0 };
  let isOpen = false;
  const pages = await startPages({
    '/': (_request, response) => {
      const send = () => {
        held.delete(send);
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>held back</p>');
      };
      held.add(send);
      seen.most = Math.max(seen.most, held.size);
      if (isOpen) setTimeout(send, 50);
    },
  });
  return {
    seen,
    open: () => held.size,
    urls: (count: number) => Array.from({ length: count }, (_, n) => `${pages.url}/?${n}`),
    letOneGo: () => [...held].at(-1)?.(),
    letGo() {
      isOpen = true;
      for (const send of held) send();
    },
    [Symbol.asyncDispose]: () => pages[Symbol.asyncDispose](),
  };
}

const concurrencyOf = async ({ key }: TestTeam): Promise<number> =>
  (await call('/v2/concurrency-check', { key })).body.concurrency;

/**
 * Waits until the only page worker of a job claims no more pages, which it says by a request for another one.
 * While it claims pages, it requests one only if the job may scrape more pages at once than it can hold.
 */
async function untilClaimsEnd(workflowId: string): Promise<void> {
  await pollUntil(async () => {
    const { events } = await temporal.workflow(workflowId).fetchHistory();
    return events?.some(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === 'help',
    );
  });
}

describe('a batch', () => {
  it('with maxConcurrency scrapes that many pages of one host at once, up to the limit of its team', async () => {
    await using site = await startHeld();
    const team = await makeTeam(db, { concurrency: 20 });
    const body = { urls: site.urls(50), ...HELD, maxConcurrency: 30 };
    const id = await startJob(PATH, body, team);
    await untilStatus('/v2/concurrency-check', ({ concurrency }) => concurrency === 20, team);
    await expect.poll(site.open).toBe(20);
    site.letGo();
    expect(await finished(PATH, id, team)).toMatchObject({ status: 'completed', completed: 50 });
    expect(site.seen.most).toBe(20);
  });

  it('starts new pages as others end, even while one page takes long', async () => {
    await using site = await startHeld();
    const team = await makeTeam(db);
    const id = await startJob(PATH, { urls: site.urls(12), ...HELD, maxConcurrency: 2 }, team);
    await expect.poll(site.open).toBe(2);
    // One page is held all the time, which outlasts every page worker that claims new ones.
    for (let completed = 1; completed < 11; completed++) {
      await expect.poll(site.open).toBe(2);
      site.letOneGo();
      await untilStatus(`${PATH}/${id}`, (status) => status.completed >= completed, team);
      // Without this, the first page worker would claim all pages.
      if (completed === 1) await untilClaimsEnd(`batch/${id}`);
    }
    site.letGo();
    expect(await finished(PATH, id, team)).toMatchObject({ completed: 12 });
  });

  it('counts pages that are being scraped as active, and not those that wait for their host', async () => {
    await using site = await startHeld();
    const team = await makeTeam(db);
    const id = await startJob(PATH, { urls: site.urls(40), ...HELD }, team);
    await expect.poll(site.open).toBe(8);
    await untilStatus(`${PATH}/${id}`, ({ total }) => total === 40, team);
    expect(await concurrencyOf(team)).toBe(8);
    expect((await call('/v2/team/queue-status', team)).body).toMatchObject({ jobsInQueue: 40 });
    site.letGo();
    expect(await finished(PATH, id, team)).toMatchObject({ completed: 40 });
    expect(site.seen.most).toBe(8);
    expect(await concurrencyOf(team)).toBe(0);
  });

  it('leaves the next slot to a waiting scrape, even in a team with a single slot', async () => {
    await using site = await startHeld();
    await using other = await startPages({ '/page': '<h1>Between two pages</h1>' });
    const team = await makeTeam(db, { concurrency: 1 });
    const id = await startJob(PATH, { urls: site.urls(6), ...HELD }, team);
    await expect.poll(site.open).toBe(1);
    const scrape = call('/v2/scrape', { body: { url: `${other.url}/page`, maxAge: 0 }, key: team.key });
    await untilStatus('/v2/team/queue-status', ({ jobsInQueue }) => jobsInQueue === 7, team);
    await expect
      .poll(() => db.query.selectFrom('slot_waits').selectAll().where('team_id', '=', team.id).execute())
      .toHaveLength(1);
    site.letOneGo();
    const { status, body } = await scrape;
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      markdown: '# Between two pages',
      metadata: { concurrencyLimited: true, concurrencyQueueDurationMs: expect.any(Number) },
    });
    site.letGo();
    expect(await finished(PATH, id, team)).toMatchObject({ status: 'completed', completed: 6 });
    expect(site.seen.most).toBe(1);
  });
});

it('a rush of scrapes beyond the slots of their team asks the database for slots a few at a time, and all of them get one', async () => {
  await using site = await startHeld();
  const team = await makeTeam(db, { concurrency: 1 });
  const scrape = (url: string) => call('/v2/scrape', { body: { url, ...HELD, maxAge: 0 }, key: team.key });
  const scrapes = site.urls(30).map(scrape);
  await untilStatus('/v2/team/queue-status', ({ jobsInQueue }) => jobsInQueue === 30, team);
  const waiting = db.query
    .selectFrom('slot_waits')
    .selectAll()
    .where('team_id', '=', team.id)
    .where('expires_at', '>', sql<Date>`now()`);
  // All of them ask once, which counts for three seconds.
  await expect.poll(() => waiting.execute(), { timeout: 30_000 }).toHaveLength(16);
  site.letGo();
  const responses = await Promise.all(scrapes);
  expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200));
  expect(site.seen.most).toBe(1);
});
