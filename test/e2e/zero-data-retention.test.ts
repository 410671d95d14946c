import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpkeep } from '../../src/temporal/workflow-client.ts';
import { call } from '../support/api/call.ts';
import { finished, sourcesOf, startJob } from '../support/api/jobs.ts';
import { htmlFile, parse } from '../support/api/parse.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { filesWith, findMarker, tablesWith } from '../support/storage/stored-markers.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { startReceiver } from '../support/webhooks/receiver.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** A job with zero data retention leaves nothing readable in any store. */

const service = useService();

let pages: Pages;
const db = useDatabase();
const temporal = useTemporal();

beforeAll(async () => {
  pages = await startPages({});
});
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
});

/**
 * When each marker was made. The other tests leave much data, and what did not change since cannot hold the
 * marker.
 */
const madeAt = new Map<string, Date>();

function newMarker(): string {
  const marker = `marker${crypto.randomUUID().replaceAll('-', '')}`;
  madeAt.set(marker, new Date());
  return marker;
}

function madeAtOf(marker: string): Date {
  const date = madeAt.get(marker);
  if (!date) throw new Error(`newMarker() did not make ${marker}`);
  return date;
}

/**
 * A page whose address, options and content hold the marker; it answers `status`, perhaps once a promise is
 * settled.
 */
async function startMarked(marker: string, { status = 200, after = Promise.resolve() } = {}) {
  const site = await startPages({
    [`/${marker}`]: async (_request, response) => {
      await after;
      response.writeHead(status, { 'Content-Type': 'text/html' });
      response.end(`<title>${marker}</title><main><h1>A page</h1><p>Its secret is ${marker}.</p></main>`);
    },
  });
  const url = `${site.url}/${marker}`;
  return { url, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

/** Every place that holds the marker. */
const placesOf = (marker: string) =>
  findMarker(marker, { db, client: temporal.client, dataDir: service.dataDir }, madeAtOf(marker));

/**
 * With zero data retention no place holds the marker; without, these do, which shows that they were looked
 * at.
 */
async function expectPlaces(marker: string, zeroDataRetention: boolean, places: unknown[]): Promise<void> {
  if (zeroDataRetention) expect(await placesOf(marker)).toEqual([]);
  // Temporal writes its index of workflows a moment later.
  else await expect.poll(() => placesOf(marker)).toEqual(expect.arrayContaining(places));
}

const scrapeOf = (url: string, marker: string, options: object = {}) => ({
  body: { url, headers: { 'X-Secret': marker }, zeroDataRetention: true, ...options },
});

describe('a scrape', () => {
  it('leaves data in every store without zero data retention', async () => {
    const marker = newMarker();
    await using site = await startMarked(marker);
    const { status } = await call('/v2/scrape', scrapeOf(site.url, marker, { zeroDataRetention: false }));
    expect(status).toBe(200);
    await call('/v2/scrape', { body: { url: site.url } });
    const failed = await call('/v2/scrape', { body: { url: `http://${marker}.invalid/` } });
    expect(failed.body.code).toBe('SCRAPE_DNS_RESOLUTION_ERROR');
    await expectPlaces(marker, false, [
      'table jobs.target',
      'table jobs.request',
      'table jobs.error',
      'table results.small',
      expect.stringMatching(/^file blobs\/cache\//),
      expect.stringMatching(/^file postgres\//),
      expect.stringMatching(/^file temporal\.db/),
      expect.stringMatching(/^workflow scrape\//),
    ]);
  });

  it('with zero data retention returns the same result and leaves nothing in any store', async () => {
    const marker = newMarker();
    await using site = await startMarked(marker);
    const { status, body } = await call(
      '/v2/scrape',
      scrapeOf(site.url, marker, { formats: ['markdown', 'rawHtml'] }),
    );
    expect(status).toBe(200);
    expect(body.data.markdown).toContain(`Its secret is ${marker}.`);
    expect(body.data.metadata).toMatchObject({ sourceURL: site.url, creditsUsed: 2 });
    const later = await call(`/v2/scrape/${body.data.metadata.scrapeId}`);
    expect(later).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(later.body.error).toContain('zero data retention');
    // Without the header the cache would take it.
    const plain = await call('/v2/scrape', { body: { url: site.url, zeroDataRetention: true } });
    expect(plain.body.data.metadata.cacheState).toBe('miss');
    expect(await placesOf(marker)).toEqual([]);
  });

  it('in the browser leaves nothing in the files of the browser either', async () => {
    const marker = newMarker();
    await using site = await startMarked(marker);
    const { body } = await call(
      '/v2/scrape',
      scrapeOf(site.url, marker, { waitFor: 1, formats: ['rawHtml'] }),
    );
    expect(body.data.rawHtml).toContain(marker);
    const homes = (await readdir(tmpdir())).filter((name) => /^winnow-chromium-[^.]+$/.test(name));
    expect(homes.length).toBeGreaterThan(0);
    for (const home of homes) expect(await filesWith(path.join(tmpdir(), home), marker)).toEqual([]);
    expect(await placesOf(marker)).toEqual([]);
  });

  it.each([
    ['an error of the target', { status: 404 }, {}, undefined],
    ['a timeout', { after: new Promise<void>(() => undefined) }, { timeout: 1_000 }, 'SCRAPE_TIMEOUT'],
  ])('that ends in %s tells only who asked', async (_name, behaviour, options, code) => {
    const marker = newMarker();
    await using site = await startMarked(marker, behaviour);
    const { body } = await call('/v2/scrape', scrapeOf(site.url, marker, options));
    expect(body.code).toBe(code);
    expect(body.error ?? body.data.metadata.sourceURL).toContain(marker);
    expect(await placesOf(marker)).toEqual([]);
  });

  it('of an unknown host reports the host name to the caller only', async () => {
    const marker = newMarker();
    const { status, body } = await call('/v2/scrape', scrapeOf(`http://${marker}.invalid/`, marker));
    expect([status, body.code]).toEqual([200, 'SCRAPE_DNS_RESOLUTION_ERROR']);
    expect(body.error).toContain(marker);
    expect(await placesOf(marker)).toEqual([]);
  });

  it('under lockdown without a copy leaves nothing in any store, even without permission for zero data retention', async () => {
    const team = await makeTeam(db);
    const marker = newMarker();
    const request = { url: `http://${marker}.invalid/`, headers: { 'X-Secret': marker }, lockdown: true };
    const { status, body } = await call('/v2/scrape', { key: team.key, body: request });
    expect([status, body.code]).toEqual([404, 'SCRAPE_LOCKDOWN_CACHE_MISS']);
    expect(await placesOf(marker)).toEqual([]);
  });

  it('is stored encrypted while it runs, and can be read once when its caller has disconnected', async () => {
    const marker = newMarker();
    const held = Promise.withResolvers<void>();
    await using site = await startMarked(marker, { after: held.promise });
    const gone = new AbortController();
    const { url } = service;
    const { key } = await makeTeam(db, { zeroDataRetention: true });
    const waiting = fetch(`${url}/v2/scrape`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(scrapeOf(site.url, marker).body),
      signal: gone.signal,
    }).catch(() => 'gone');
    const activity = async () => (await call('/v2/team/activity', { key })).body.data[0];
    const { id, target } = await pollUntil(activity);
    expect(target).toBeNull();
    expect(await tablesWith(db, marker)).toEqual([]);
    gone.abort();
    expect(await waiting).toBe('gone');
    // When the API answers this, it has heard that the caller is gone, and does not deliver the result to it.
    expect((await call(`/v2/scrape/${id}`, { key })).body).toEqual({ success: true, status: 'scraping' });
    held.resolve();
    const answer = await pollUntil(async () => {
      const response = await call(`/v2/scrape/${id}`, { key });
      return response.body.status !== 'scraping' && response;
    });
    expect(answer.body.data.markdown).toContain(marker);
    expect((await call(`/v2/scrape/${id}`, { key })).status).toBe(404);
    expect(await placesOf(marker)).toEqual([]);
  });
});

it('a browser session leaves nothing of its pages, code, results, files and viewers in any store', async () => {
  const marker = newMarker();
  await using site = await startMarked(marker);
  const { body: session } = await call('/v2/browser', { body: {} });
  const code = `await page.goto('${site.url}'); require('node:fs').writeFileSync('/downloads/${marker}', '${marker}');
    console.log('${marker}'); await page.title()`;
  const { body } = await call(`/v2/browser/${session.id}/execute`, { body: { code } });
  expect(body).toMatchObject({ result: marker, stdout: `${marker}\n` });
  expect(
    (await call(`/v2/browser/${session.id}/execute`, { body: { code: `throw '${marker}'` } })).body.exitCode,
  ).toBe(1);
  expect((await call(`/v2/browser/${session.id}`, { method: 'DELETE' })).body.success).toBe(true);
  expect(await placesOf(marker)).toEqual([]);
});

describe('a parse of a file', () => {
  const fileOf = (marker: string) => ({ ...htmlFile(marker, `${marker}.html`), type: 'text/html' });
  const refOf = async (marker: string) => {
    const { body } = await call('/v2/parse/upload-url', { body: { filename: `${marker}.html` } });
    const { uploadUrl, uploadRef } = body.data;
    await fetch(uploadUrl, { method: 'PUT', body: fileOf(marker).content });
    expect(await placesOf(marker)).toEqual([]);
    return uploadRef;
  };

  it('leaves its name and text without zero data retention, but never the file itself', async () => {
    const marker = newMarker();
    await parse(fileOf(marker));
    await expectPlaces(marker, false, [
      'table jobs.target',
      'table jobs.request',
      'table results.small',
      expect.stringMatching(/^workflow scrape\//),
    ]);
    expect((await placesOf(marker)).filter((place) => place.includes('uploads'))).toEqual([]);
  });

  it.each(['in the request', 'uploaded before'])(
    '%s with zero data retention leaves nothing',
    async (way) => {
      const marker = newMarker();
      const options = { zeroDataRetention: true };
      const { status, body } =
        way === 'in the request'
          ? await parse(fileOf(marker), options)
          : await call('/v2/parse', { body: { uploadRef: await refOf(marker), ...options } });
      expect([status, body.data?.markdown]).toEqual([200, expect.stringContaining(marker)]);
      expect(body.data.metadata).toMatchObject({ sourceFile: `${marker}.html`, creditsUsed: 2 });
      expect(await placesOf(marker)).toEqual([]);
    },
  );

  it('that cannot be parsed tells only who asked', async () => {
    const marker = newMarker();
    const file = { content: `MZ\0\0${marker}`, name: `${marker}.exe` };
    const { body } = await parse(file, { zeroDataRetention: true });
    expect(body).toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE', error: expect.stringContaining(marker) });
    expect(await placesOf(marker)).toEqual([]);
  });
});

describe('zero data retention is refused', () => {
  it('for a team without permission', async () => {
    const team = await makeTeam(db);
    const refused = await call('/v2/scrape', {
      key: team.key,
      body: { url: pages.url, zeroDataRetention: true },
    });
    expect(refused).toMatchObject({ status: 400, body: { success: false, code: 'BAD_REQUEST' } });
    expect(refused.body.error).toContain('not enabled');
    const other = await makeTeam(db, { zeroDataRetention: true });
    const { status } = await call('/v2/scrape', {
      key: other.key,
      body: { url: pages.url, zeroDataRetention: true },
    });
    expect(status).toBe(200);
  });

  it('for a screenshot, which is stored as a file', async () => {
    const { status, body } = await call('/v2/scrape', {
      body: { url: pages.url, zeroDataRetention: true, formats: ['screenshot'] },
    });
    expect([status, body.code]).toEqual([400, 'SCRAPE_ZDR_VIOLATION_ERROR']);
    expect(body.error).toContain('format screenshot');
  });
});

/** The next round of upkeep, now. */
const runUpkeep = () => startUpkeep(temporal.connection, 'default');

/** Lets a job expire. */
async function expire(id: string): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  await db.query.updateTable('jobs').set({ expires_at: past }).where('id', '=', id).execute();
  await runUpkeep();
  // The pages are deleted first, the key after them.
  const kept = sql`
    select from jobs where id = ${id}
      and (length(wrapped_key) > 0 or exists (select from pages where job_id = jobs.id))`;
  await pollUntil(async () => (await kept.execute(db.query)).rows.length === 0);
}

describe('a batch', () => {
  it.each([false, true])('with zero data retention %s', async (zeroDataRetention) => {
    const marker = newMarker();
    await using site = await startMarked(marker);
    await using receiver = await startReceiver();
    const dead = `http://${marker}.invalid/`;
    const request = {
      path: '/v2/batch/scrape',
      body: {
        urls: [site.url, dead, `${site.url}-none`, `no address ${marker}`],
        headers: { 'X-Secret': marker },
        webhook: { url: `${receiver.url}/${marker}`, headers: { 'X-Hook': marker }, metadata: { marker } },
        zeroDataRetention,
      },
      headers: { 'x-idempotency-key': crypto.randomUUID() },
    };
    const started = await call(request.path, request);
    expect(started.body.invalidURLs).toEqual([`no address ${marker}`]);
    const { id } = started.body;
    const status = await finished(request.path, id);
    expect(status).toMatchObject({ completed: 2, failed: 1, creditsUsed: zeroDataRetention ? 5 : 3 });
    expect(sourcesOf(status)).toEqual([site.url, `${site.url}-none`]);
    expect(JSON.stringify(status.data)).toContain(`Its secret is ${marker}.`);
    const { body: failures } = await call(`${request.path}/${id}/errors`);
    expect(failures.errors).toMatchObject([{ url: dead, error: expect.stringContaining(marker) }]);

    const events = await receiver.until(5);
    expect(events.map(({ headers, event }) => [headers['x-hook'], event.metadata.marker])).toEqual(
      events.map(() => [marker, marker]),
    );
    const failed = events.find(({ event }) => event.type === 'batch_scrape.page' && !event.success);
    expect(failed?.event).toMatchObject({
      error: failures.errors[0].error,
      data: [{ metadata: { sourceURL: dead } }],
    });
    const repeated = await call(request.path, request);
    expect(repeated.body).toEqual(started.body);

    await expectPlaces(marker, zeroDataRetention, [
      'table jobs.request',
      'table jobs.target',
      'table jobs.webhook',
      'table pages.error',
      'table pages.host',
      'table pages.url',
      'table webhook_deliveries.error',
      expect.stringMatching(/^file blobs\/results\//),
    ]);
    await expire(id);
    const { request: kept, wrapped_key: wrappedKey } = await db.query
      .selectFrom('jobs')
      .select(['request', 'wrapped_key'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (zeroDataRetention) expect([kept, wrappedKey?.length]).toEqual([null, 0]);
    else expect([JSON.stringify(kept), wrappedKey]).toEqual([expect.stringContaining(marker), null]);
  });

  it('accepts further pages with zero data retention only if it started with it', async () => {
    const marker = newMarker();
    await using site = await startMarked(marker);
    const open = await startJob('/v2/batch/scrape', { urls: [pages.url] });
    const append = { urls: [site.url], zeroDataRetention: true };
    const refused = await call('/v2/batch/scrape', { body: { ...append, appendToId: open } });
    expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST']);
    const sealed = await startJob('/v2/batch/scrape', { urls: [pages.url], zeroDataRetention: true });
    await startJob('/v2/batch/scrape', { ...append, appendToId: sealed });
    const status = await finished('/v2/batch/scrape', sealed);
    expect(sourcesOf(status)).toEqual([pages.url, site.url].sort());
    expect(await placesOf(marker)).toEqual([]);
  });
});

describe('a crawl', () => {
  it.each([false, true])('with zero data retention %s', async (zeroDataRetention) => {
    const marker = newMarker();
    const page = (text: string, ...links: string[]) =>
      `<title>${marker}</title><main><h1>${text}</h1>${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</main>`;
    await using site = await startPages({
      '/robots.txt': (_request, response) =>
        void response.setHeader('Content-Type', 'text/plain').end(`User-agent: *\nDisallow: /${marker}/no`),
      '/sitemap.xml': (request, response) =>
        void response
          .setHeader('Content-Type', 'application/xml')
          .end(`<urlset><url><loc>http://${request.headers.host}/${marker}/mapped</loc></url></urlset>`),
      [`/${marker}`]: page('Start', `/${marker}/one`, `/${marker}/two`, `/${marker}/moved`, `/${marker}/no`),
      [`/${marker}/one`]: page('One', `/${marker}`, `/${marker}/two?`, `/${marker}/two`),
      [`/${marker}/two`]: page('Two', `/${marker}/one`),
      [`/${marker}/mapped`]: page('Mapped'),
      [`/${marker}/moved`]: (_request, response) =>
        void response.writeHead(302, { location: `/${marker}/two` }).end(),
    });
    const start = `${site.url}/${marker}`;
    const id = await startJob('/v2/crawl', { url: start, zeroDataRetention });
    const status = await finished('/v2/crawl', id);
    expect(status).toMatchObject({ status: 'completed', completed: 4, failed: 0 });
    expect(status.creditsUsed).toBe(zeroDataRetention ? 8 : 4);
    expect(status.data.map((each: { metadata: { url: string } }) => each.metadata.url).sort()).toEqual(
      ['', '/mapped', '/one', '/two'].map((end) => start + end),
    );
    const { body: failures } = await call(`/v2/crawl/${id}/errors`);
    expect(failures.robotsBlocked).toEqual([`${start}/no`]);
    await expectPlaces(marker, zeroDataRetention, [
      'table blocked_urls.url',
      'table job_progress.base',
      'table pages.url',
      'table robots_files.file',
      `workflow crawl/${id}`,
    ]);
    await expire(id);
  });

  it('under lockdown sends no request', async () => {
    const marker = newMarker();
    const started = pages.requests.length;
    const id = await startJob('/v2/crawl', {
      url: `${pages.url}/${marker}`,
      scrapeOptions: { lockdown: true },
    });
    expect(await finished('/v2/crawl', id)).toMatchObject({ completed: 0, failed: 1, creditsUsed: 1 });
    expect(pages.requests.length).toBe(started);
    expect(await placesOf(marker)).toEqual([]);
  });
});
