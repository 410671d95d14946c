import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { addPagesToJob, retryFailedPages } from '../../../src/storage/db/jobs/extend-page-job.ts';
import { changeJobSettings, endJob } from '../../../src/storage/db/jobs/job-progress.ts';
import { insertPageJob } from '../../../src/storage/db/jobs/page-jobs.ts';
import { readPageJobState } from '../../../src/storage/db/jobs/read-page-job-state.ts';
import { claimPages } from '../../../src/storage/db/pages/claim-pages.ts';
import { releaseClaims } from '../../../src/storage/db/pages/claims.ts';
import { pauseHosts } from '../../../src/storage/db/pages/host-limits.ts';
import { readJobWorkload } from '../../../src/storage/db/pages/job-workload.ts';
import { listDocuments, type NewPage } from '../../../src/storage/db/pages/pages.ts';
import {
  type PageResult,
  type RecordAndClaimRequest,
  recordAndClaim,
} from '../../../src/storage/db/pages/record-and-claim.ts';
import { listSkipped } from '../../../src/storage/db/pages/skipped-urls.ts';
import { acquireSlot, countSlots, endSlotWait, releaseSlot } from '../../../src/storage/db/teams/slots.ts';
import { findTeam, type TeamChange } from '../../../src/storage/db/teams/teams.ts';
import { createJobCipher, NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';
import { makeTeam, type TestTeam, useOwnDatabase } from '../../support/storage/database.ts';

/**
 * Page workers claim and record pages: each page ends once and is billed once, and no limit is exceeded,
 * whichever process dies.
 */

const db = useOwnDatabase();

const host = () => `host-${uuidv7()}.test`;
const pagesOf = (count: number, name = host()): NewPage[] =>
  Array.from({ length: count }, (_, n) => ({ url: `http://${name}/${n}`, host: name, depth: 0 }));

interface JobOptions {
  pages?: NewPage[];
  limit?: number;
  maxConcurrency?: number | null;
  team?: TestTeam | TeamChange;
  delayMs?: number;
  kind?: 'batch_scrape' | 'crawl';
}

async function newJob({
  pages = pagesOf(10),
  limit,
  maxConcurrency = 100,
  team = {},
  delayMs,
  kind = 'batch_scrape',
}: JobOptions = {}) {
  const owner = 'id' in team ? team : await makeTeam(db, { concurrency: 200, ...team });
  const id = uuidv7();
  const base = {
    id,
    teamId: owner.id,
    apiKeyId: null,
    target: 'http://a.test',
    request: {},
    ttlMs: 60_000,
  } as const;
  const rest = { webhook: undefined, baseUrl: 'http://winnow.test', delayMs: delayMs ?? null };
  await insertPageJob(db.query, {
    ...base,
    ...rest,
    kind,
    pages,
    limit: limit ?? null,
    maxConcurrency,
  });
  return { id, team: owner };
}

const step = (jobId: string, change: Partial<RecordAndClaimRequest> = {}) =>
  recordAndClaim(db, {
    jobId,
    cipher: NULL_CIPHER,
    pageWorker: `${jobId}/0/1`,
    results: [],
    found: [],
    blocked: [],
    maxPages: 0,
    openRequests: new Map(),
    requestsPerHost: 8,
    pageEvents: false,
    ...change,
  });
const done = ({ id, host }: { id: string; host: string }, change: Partial<PageResult> = {}): PageResult => ({
  id,
  host,
  outcome: 'completed',
  blob: `blob-${id}`,
  bytes: 100,
  credits: 1,
  ...change,
});
/** When waits end that have to last as long as their test takes. */
const LATER = sql<Date>`now() + interval '1 hour'`;
const creditsOf = async (jobId: string) => {
  const rows = await db.query
    .selectFrom('credit_entries')
    .select('credits')
    .where('job_id', '=', jobId)
    .execute();
  return rows.map(({ credits }) => credits);
};

describe('a page', () => {
  it('ends once and is billed once when two page workers report it', async () => {
    const { id, team } = await newJob({ pages: pagesOf(4), team: { credits: 50 } });
    const { claims } = await step(id, { maxPages: 4 });
    expect(claims).toHaveLength(4);
    // The worker of the first page worker counts as lost, and another page worker claims its pages.
    await releaseClaims(db, { jobId: id, workerPrefix: `${id}/0/`, isWorkerLost: true });
    const other = { pageWorker: `${id}/0/2` };
    const again = await step(id, { ...other, maxPages: 4 });
    expect(again.claims.map(({ losses }) => losses)).toEqual([1, 1, 1, 1]);
    await Promise.all([
      step(id, { results: claims.map((claim) => done(claim, { credits: 7 })) }),
      step(id, { ...other, results: again.claims.map((claim) => done(claim)) }),
      step(id, { ...other, results: again.claims.map((claim) => done(claim)) }),
    ]);
    expect(await readPageJobState(db, id)).toMatchObject({
      total: 4,
      completed: 4,
      failed: 0,
      credits: 4,
      bytes: 400,
    });
    expect(await creditsOf(id)).toEqual([1, 1, 1, 1]);
    expect((await findTeam(db, team.name)).credits_remaining).toBe(46);
    const documents = await listDocuments(db, { jobId: id, after: 0, limit: 10 });
    expect(documents.map(({ position, bytesEnd }) => [position, bytesEnd])).toEqual([
      [1, 100],
      [2, 200],
      [3, 300],
      [4, 400],
    ]);
  });

  it('that is to be retried is claimed again when it is due', async () => {
    const { id } = await newJob({ pages: pagesOf(1) });
    const {
      claims: [first],
    } = await step(id, { maxPages: 1 });
    const later = await step(id, {
      results: [done(first!, { outcome: 'retry', retryInMs: 60_000 })],
      maxPages: 1,
    });
    expect(later).toMatchObject({ claims: [], open: 1 });
    expect((await readJobWorkload(db, id)).dueInMs).toBeGreaterThan(50_000);
    await db.query.updateTable('pages').set({ due_at: new Date() }).where('job_id', '=', id).execute();
    expect((await step(id, { maxPages: 1 })).claims).toMatchObject([
      { id: first!.id, attempts: 1, losses: 0 },
    ]);
  });

  it('has no due time while every open page of the job is claimed', async () => {
    const { id } = await newJob({ pages: pagesOf(1) });
    await step(id, { maxPages: 1 });
    expect(await readJobWorkload(db, id)).toMatchObject({ open: 1, hosts: 0, dueInMs: undefined });
  });

  it('that could not be started waits as if it had never been claimed', async () => {
    const { id } = await newJob({ pages: pagesOf(1) });
    const {
      claims: [first],
    } = await step(id, { maxPages: 1 });
    const next = await step(id, {
      results: [done(first!, { outcome: 'unstarted', blob: undefined })],
      maxPages: 1,
    });
    expect(next.claims).toMatchObject([{ id: first!.id, attempts: 0, losses: 0 }]);
    expect(next.claims[0]!.waitedMs).toBeGreaterThanOrEqual(first!.waitedMs);
    expect(next).toMatchObject({ completed: 0, open: 1 });
  });

  it('whose host was not contacted becomes pending again unchanged', async () => {
    const { id } = await newJob({ pages: pagesOf(1) });
    const { claims } = await step(id, { maxPages: 1 });
    const untried = done(claims[0]!, { outcome: 'retry', isUncounted: true, retryInMs: 0 });
    const again = await step(id, { results: [untried], maxPages: 1 });
    expect(again).toMatchObject({ open: 1, claims: [{ id: claims[0]!.id, attempts: 0, losses: 0 }] });
  });

  it('that redirects to another page of its job does not count separately', async () => {
    const name = host();
    const key = (text: string) => Buffer.from(`${name} ${text}`.padEnd(16).slice(-16));
    const pages = ['/', '/a', '/b', '/c'].map((path) => ({
      url: `http://${name}${path}`,
      host: name,
      key: key(path),
      depth: 0,
    }));
    const { id } = await newJob({ pages, limit: 3 });
    const { claims } = await step(id, { maxPages: 9 });
    expect(claims.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/a', '/b']);
    // Two pages redirect to the same new URL, so one of them is dropped and /c takes its place in the limit.
    const moved = { finalUrl: `http://${name}/new`, finalKey: key('/new') };
    const next = await step(id, {
      results: [done(claims[0]!), done(claims[1]!, moved), done(claims[2]!, moved)],
      found: [{ url: `http://${name}/new`, host: name, key: key('/new'), depth: 1 }],
      maxPages: 9,
    });
    expect(next.claims.map(({ url }) => new URL(url).pathname)).toEqual(['/c']);
    expect(next).toMatchObject({ total: 3, completed: 2, open: 1 });
    await step(id, { results: [done(next.claims[0]!, { finalUrl: `http://${name}/`, finalKey: key('/') })] });
    expect(await readPageJobState(db, id)).toMatchObject({ total: 2, completed: 2, credits: 2 });
  });
});

describe('claims', () => {
  it('read few of the pages that wait, however many these are, in a statement that is planned once for each size', async () => {
    const { id } = await newJob({ pages: pagesOf(3_000) });
    await db.query.transaction().execute(async (query) => {
      const claim = (scale: number) =>
        claimPages(
          query,
          { id, status: 'scraping', paused: false, maxConcurrency: 100, delayMs: null, due: true, scale },
          { pageWorker: `${id}/0/1`, maxPages: 2, openRequests: new Map(), requestsPerHost: 8 },
        );
      for (const scale of [101, 101, 102]) expect((await claim(scale))?.claims).toHaveLength(2);
      const { rows } = await sql<{ read: number; statements: number }>`
        select (seq_tup_read + idx_tup_fetch)::int as read, (
          select count(*)::int from pg_prepared_statements
          where statement like '/* prepared at scale 10_ */%claimable_host%') as statements
        from pg_stat_xact_user_tables where relname = 'pages'`.execute(query);
      expect(rows[0]?.read).toBeLessThan(1_000);
      expect(rows[0]?.statements).toBe(2);
    });
  });

  it('of many concurrent page workers never include a page twice or exceed the limit', async () => {
    const { id } = await newJob({ pages: pagesOf(60), limit: 25 });
    const steps = Array.from({ length: 12 }, (_, n) => step(id, { pageWorker: `${id}/${n}/1`, maxPages: 5 }));
    const claims = (await Promise.all(steps)).flatMap((each) => each.claims);
    expect(new Set(claims.map((claim) => claim.id)).size).toBe(claims.length);
    expect(claims.length).toBeLessThanOrEqual(25);
    for (let n = 0; n < 12; n++)
      claims.push(...(await step(id, { pageWorker: `${id}/x${n}/1`, maxPages: 50 })).claims);
    expect(claims).toHaveLength(25);
  });

  it('continue when the limit is raised and stop when it is lowered', async () => {
    const { id } = await newJob({ kind: 'crawl', pages: pagesOf(20), limit: 5 });
    const { claims } = await step(id, { maxPages: 20 });
    expect(claims).toHaveLength(5);
    await changeJobSettings(db, id, { limit: 8 });
    const more = await step(id, { maxPages: 20, results: claims.map((claim) => done(claim)) });
    expect(more.claims).toHaveLength(3);
    await changeJobSettings(db, id, { limit: 2 });
    expect(await step(id, { maxPages: 20 })).toMatchObject({ claims: [], total: 8, completed: 5, open: 3 });
  });

  it('respect the concurrency of job and team, across jobs and scrapes', async () => {
    const { id } = await newJob({ maxConcurrency: 3 });
    expect((await step(id, { maxPages: 9 })).claims).toHaveLength(3);
    const team = await makeTeam(db, { concurrency: 10 });
    const one = await newJob({ team, pages: pagesOf(20) });
    const two = await newJob({ team, pages: pagesOf(20) });
    const slot = { teamId: team.id, holder: uuidv7(), limit: 10 };
    expect(await acquireSlot(db, slot)).toBe('taken');
    expect((await step(one.id, { maxPages: 6 })).claims).toHaveLength(6);
    // All ten can be used: six pages, one scrape, three pages.
    expect((await step(two.id, { maxPages: 6 })).claims).toHaveLength(3);
    expect(await acquireSlot(db, { ...slot, holder: 'second' })).toBeUndefined();
    await releaseSlot(db, team.id, slot.holder);
    expect(await acquireSlot(db, { ...slot, holder: 'second' })).toBe('taken');
  });

  it('leave the next slot to a waiting scrape', async () => {
    const team = await makeTeam(db, { concurrency: 2 });
    const { id } = await newJob({ team });
    const { claims } = await step(id, { maxPages: 6 });
    expect(claims).toHaveLength(2);
    const slot = { teamId: team.id, holder: uuidv7(), limit: 2 };
    expect(await acquireSlot(db, slot)).toBeUndefined();
    await db.query
      .updateTable('slot_waits')
      .set({ expires_at: LATER })
      .where('team_id', '=', team.id)
      .execute();
    expect((await step(id, { results: [done(claims[0]!)], maxPages: 6 })).claims).toEqual([]);
    expect(await acquireSlot(db, slot)).toBe('taken');
    await endSlotWait(db, team.id, slot.holder);
    expect((await step(id, { results: [done(claims[1]!)], maxPages: 6 })).claims).toHaveLength(1);
  });

  it('and slots taken at the same time never exceed the limit of the team', async () => {
    const team = await makeTeam(db, { concurrency: 6 });
    const jobs = await Promise.all([1, 2, 3].map(() => newJob({ team, pages: pagesOf(20) })));
    for (let round = 0; round < 5; round++) {
      const slots = Array.from({ length: 6 }, () => ({ teamId: team.id, holder: uuidv7(), limit: 6 }));
      await Promise.all([
        ...jobs.map(({ id }) => step(id, { maxPages: 3 })),
        ...slots.map((slot) => acquireSlot(db, slot)),
      ]);
      expect(await countSlots(db, team.id)).toBe(6);
      await Promise.all(slots.map(({ holder }) => releaseSlot(db, team.id, holder)));
      await Promise.all(slots.map(({ holder }) => endSlotWait(db, team.id, holder)));
      for (const { id } of jobs)
        await releaseClaims(db, { jobId: id, workerPrefix: `${id}/`, isWorkerLost: false });
    }
  });

  it('of several jobs share the requests of a host exactly, and skip a host that is paused', async () => {
    const [name, quiet] = [host(), host()];
    const pages = [...pagesOf(40, name), ...pagesOf(40, quiet)];
    const one = await newJob({ pages, maxConcurrency: null });
    const two = await newJob({ pages, maxConcurrency: null });
    await pauseHosts(db, new Map([[quiet, 60_000]]));
    const first = await step(one.id, { maxPages: 30 });
    expect(first.claims.map((claim) => claim.host)).toEqual(Array(8).fill(name));
    // All eight requests are taken, so the second job gets none and counts as waiting for the host.
    expect((await step(two.id, { maxPages: 30 })).claims).toEqual([]);
    await db.query.updateTable('host_leases').set({ expires_at: LATER }).where('host', '=', name).execute();
    const still = {
      openRequests: new Map([[name, 5]]),
      results: first.claims.slice(5).map((claim) => done(claim)),
    };
    expect((await step(one.id, { ...still, maxPages: 30 })).claims).toEqual([]);
    expect((await step(two.id, { maxPages: 30 })).claims).toHaveLength(3);
    const fewer = {
      openRequests: new Map([[name, 3]]),
      results: first.claims.slice(3, 5).map((claim) => done(claim)),
    };
    expect((await step(one.id, { ...fewer, maxPages: 30 })).claims).toHaveLength(1);
    // The strike of the paused host has halved its limit to four requests.
    await db.query.updateTable('host_pauses').set({ until: new Date() }).where('host', '=', quiet).execute();
    const third = await step(one.id, { maxPages: 30, openRequests: new Map([[name, 4]]) });
    expect(third.claims.map((claim) => claim.host)).toEqual(Array(4).fill(quiet));
  });

  it('leave to others the share of a page worker that takes no more pages', async () => {
    const name = host();
    const one = await newJob({ pages: pagesOf(40, name), maxConcurrency: null });
    const two = await newJob({ pages: pagesOf(40, name), maxConcurrency: null });
    expect((await step(one.id, { maxPages: 2 })).claims).toHaveLength(2);
    await step(one.id, { maxPages: 0, openRequests: new Map([[name, 2]]) });
    expect((await step(two.id, { maxPages: 30 })).claims).toHaveLength(6);
  });

  it('follow the concurrency of a job instead of the requests per host, except for a paused host', async () => {
    const name = host();
    const { id } = await newJob({ pages: pagesOf(60, name), maxConcurrency: 20 });
    const { claims } = await step(id, { maxPages: 16 });
    expect(claims).toHaveLength(16);
    const other = { pageWorker: `${id}/1/1` };
    expect((await step(id, { ...other, maxPages: 16 })).claims).toHaveLength(4);
    await pauseHosts(db, new Map([[name, 60_000]]));
    const ended = claims.slice(0, 7).map((claim) => done(claim));
    expect(
      (await step(id, { results: ended, maxPages: 16, openRequests: new Map([[name, 9]]) })).claims,
    ).toEqual([]);
    await db.query.updateTable('host_pauses').set({ until: new Date() }).where('host', '=', name).execute();
    // The strike has halved the limit to ten requests of both page workers together. Thirteen are open.
    expect((await step(id, { maxPages: 16, openRequests: new Map([[name, 9]]) })).claims).toEqual([]);
    const more = claims.slice(7, 12).map((claim) => done(claim));
    expect(
      (await step(id, { results: more, maxPages: 16, openRequests: new Map([[name, 4]]) })).claims,
    ).toHaveLength(2);
  });

  it('follow the configured requests per host', async () => {
    const { id } = await newJob({ pages: pagesOf(40), maxConcurrency: null });
    expect((await step(id, { maxPages: 30, requestsPerHost: 3 })).claims).toHaveLength(3);
  });

  it('use the slots of pages that end in the same statement', async () => {
    const { id } = await newJob({ maxConcurrency: 3 });
    const { claims } = await step(id, { maxPages: 9 });
    expect(
      (await step(id, { results: claims.map((claim) => done(claim)), maxPages: 9 })).claims,
    ).toHaveLength(3);
  });

  it('are made one by one with a delay', async () => {
    const { id } = await newJob({ delayMs: 60_000 });
    expect((await step(id, { maxPages: 9 })).claims).toHaveLength(1);
    expect((await step(id, { maxPages: 9 })).claims).toHaveLength(0);
  });

  it('end when the credits are used up', async () => {
    const { id } = await newJob({ team: { credits: 2 }, pages: pagesOf(5) });
    const { claims } = await step(id, { maxPages: 2 });
    const next = await step(id, { results: claims.map((claim) => done(claim)), maxPages: 2 });
    expect(next).toMatchObject({ claims: [], outOfCredits: true });
  });
});

describe('the end of a job', () => {
  it('comes exactly once, when no page is pending', async () => {
    const { id } = await newJob({ pages: pagesOf(1) });
    const end = { jobId: id, end: { status: 'completed' }, ttlMs: 60_000 } as const;
    expect(await endJob(db, end)).toBe(false);
    const { claims } = await step(id, { maxPages: 1 });
    expect(await endJob(db, end)).toBe(false);
    await step(id, { results: claims.map((claim) => done(claim)) });
    expect(await endJob(db, end)).toBe(true);
    const { finishedAt } = (await readPageJobState(db, id))!;
    expect(await endJob(db, { ...end, end: { status: 'cancelled' } })).toBe(true);
    expect(await readPageJobState(db, id)).toMatchObject({ status: 'completed', finishedAt });
  });

  it('comes to a crawl that was reopened after its discovery had stopped at the limit', async () => {
    const { id } = await newJob({ kind: 'crawl', pages: pagesOf(1), limit: 1 });
    const end = { jobId: id, end: { status: 'completed' }, ttlMs: 60_000 } as const;
    const [first] = (await step(id, { maxPages: 1 })).claims;
    const error = { code: 'SCRAPE_TIMEOUT', message: 'late' };
    await step(id, { results: [{ id: first!.id, host: first!.host, outcome: 'failed', error }] });
    expect(await endJob(db, end)).toBe(true);
    expect(await retryFailedPages(db, { id, ttlMs: 60_000 })).toMatchObject({ retried: 1 });
    const [again] = (await step(id, { maxPages: 1 })).claims;
    // The page is dropped, as when robots.txt excludes it now, so the limit is not reached any more.
    await step(id, { results: [{ id: again!.id, host: again!.host, outcome: 'dropped' }] });
    expect(await endJob(db, end)).toBe(true);
  });

  it('by a cancellation claims no more pages and keeps the counters', async () => {
    const { id } = await newJob({ pages: pagesOf(6) });
    const { claims } = await step(id, { maxPages: 3 });
    await step(id, { results: [done(claims[0]!)] });
    await endJob(db, { jobId: id, end: { status: 'cancelled' }, ttlMs: 60_000 });
    const late = await step(id, { results: claims.slice(1).map((claim) => done(claim)), maxPages: 5 });
    expect(late.claims).toEqual([]);
    expect(
      await addPagesToJob(db, { jobId: id, pages: pagesOf(3), blocked: [], cipher: NULL_CIPHER }),
    ).toEqual({
      added: 0,
      isFull: true,
    });
    expect(await readPageJobState(db, id)).toMatchObject({
      status: 'cancelled',
      total: 1,
      completed: 1,
      failed: 0,
      credits: 1,
    });
    expect(await creditsOf(id)).toEqual([1]);
  });
});

describe('URLs that a job skips', () => {
  const blocked = ['http://a.test/1', 'http://a.test/2'];
  const homepages = ['http://b.test/'];

  it.each(['encrypted', 'plain'])('are listed and counted once (%s)', async (kind) => {
    const { id } = await newJob({ kind: 'crawl' });
    const cipher = kind === 'plain' ? NULL_CIPHER : createJobCipher(id, 'a secret');
    await step(id, { blocked: [...blocked, ...blocked], homepages, cipher });
    await step(id, { blocked: [...blocked, 'http://a.test/3'], homepages, cipher });
    await addPagesToJob(db, { jobId: id, pages: [], blocked, homepages, cipher });
    const skipped = await listSkipped(db, id);
    expect(skipped.blocked.map(cipher.decrypt).sort()).toEqual([...blocked, 'http://a.test/3']);
    expect(skipped.homepages.map(({ url }) => cipher.decrypt(url))).toEqual(homepages);
    expect(skipped.blocked.join().includes('a.test')).toBe(kind === 'plain');
    expect(await readPageJobState(db, id)).toMatchObject({ blocked: 3, failed: 0 });
  });
});
