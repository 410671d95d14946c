import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { cacheKey } from '../../src/fetch/engines/cache-key.ts';
import { scrapeBody } from '../../src/schemas/scrape.ts';
import { call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { useService } from '../support/service/use-service.ts';
import { useSite } from '../support/sites/use-site.ts';
import { useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { runUpkeep } from '../support/workflows/upkeep.ts';

/** Expired data are deleted automatically, and a full disk accepts no new jobs. */

const service = useService();

const BATCH = '/v2/batch/scrape';
const LONG_AGO = new Date(Date.now() - 48 * 3_600_000);

const site = useSite();
const db = useDatabase();

async function untilGone(isThere: () => Promise<boolean>): Promise<void> {
  await pollUntil(async () => !(await isThere()));
}

const pagesOf = (id: string) =>
  db.query.selectFrom('pages').select('blob').where('job_id', '=', id).execute();

describe('an expired job', () => {
  it('is deleted with its pages and their files', async () => {
    const id = await startJob(BATCH, {
      urls: [`${site.url}/article/1?expires`, `${site.url}/article/2?expires`],
    });
    await finished(BATCH, id);
    const { blob } = (await pagesOf(id))[0]!;
    const results = path.join(service.dataDir, 'blobs', 'results');
    const file = path.join(results, blob!.slice(0, 2), blob!.slice(2, 64));
    await utimes(file, LONG_AGO, LONG_AGO);

    await db.query.updateTable('jobs').set({ expires_at: LONG_AGO }).where('id', '=', id).execute();
    expect(await call(`${BATCH}/${id}`)).toMatchObject({
      status: 404,
      body: { success: false, error: expect.stringContaining('have expired') },
    });
    const { body } = await call('/v2/team/activity?endpoint=batch_scrape&limit=100');
    expect(body.data.map((job: { id: string }) => job.id)).toContain(id);
    await runUpkeep(service.temporalAddress);
    await untilGone(async () => (await pagesOf(id)).length > 0);
    await untilGone(() =>
      stat(file).then(
        () => true,
        () => false,
      ),
    );
    expect((await readdir(results)).length).toBeGreaterThan(0);

    await db.query.updateTable('jobs').set({ created_at: LONG_AGO }).where('id', '=', id).execute();
    await runUpkeep(service.temporalAddress);
    await untilGone(async () =>
      Boolean(await db.query.selectFrom('jobs').where('id', '=', id).executeTakeFirst()),
    );
    const ledger = await db.query
      .selectFrom('credit_entries')
      .select('credits')
      .where('job_id', '=', id)
      .execute();
    expect(ledger).toHaveLength(2);
  });

  it('leaves files that other jobs still use', async () => {
    const id = await startJob(BATCH, { urls: [`${site.url}/article/3?kept`] });
    const before = await finished(BATCH, id);
    // A file that belongs to no job shows when upkeep has deleted files.
    const folder = path.join(service.dataDir, 'blobs', 'results', 'ff');
    const stray = path.join(folder, randomBytes(31).toString('hex'));
    await mkdir(folder, { recursive: true });
    await writeFile(stray, 'x');
    await utimes(stray, LONG_AGO, LONG_AGO);
    await runUpkeep(service.temporalAddress);
    await untilGone(() =>
      stat(stray).then(
        () => true,
        () => false,
      ),
    );
    expect((await call(`${BATCH}/${id}`)).body).toEqual(before);
  });
});

/** Scrapes a page whose copy is alone in its file. Copies that are stored at the same moment share a file. */
async function storeCopyAlone() {
  for (let attempt = 0; ; attempt++) {
    const url = `${site.url}/article/4?copied=${attempt}`;
    await call('/v2/scrape', { body: { url } });
    // The response may come before the copy is stored; this one waits for it.
    expect((await call('/v2/scrape', { body: { url, lockdown: true } })).status).toBe(200);
    const key = cacheKey(url, scrapeBody.parse({ url }))!;
    const { blob, files } = await db.query
      .selectFrom('cache_entries')
      .select(['blob', 'files'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    const sharing = await db.query
      .selectFrom('cache_entries')
      .select('key')
      .where('files', '@>', sql<string[]>`${files}::text[]`)
      .execute();
    if (sharing.length === 1) return { url, key, blob };
  }
}

describe('a copy of a page', () => {
  it('is deleted with its file after two years', async () => {
    const { url, key, blob } = await storeCopyAlone();
    const copies = () => db.query.selectFrom('cache_entries').select('blob').where('key', '=', key).execute();
    const file = path.join(service.dataDir, 'blobs', 'cache', blob.slice(0, 2), blob.slice(2, 64));
    expect((await stat(file)).isFile()).toBe(true);
    const age = (days: number) =>
      db.query
        .updateTable('cache_entries')
        .set({ fetched_at: new Date(Date.now() - days * 86_400_000) })
        .where('key', '=', key)
        .execute();
    await age(729);
    const { body } = await call('/v2/scrape', { body: { url, lockdown: true } });
    expect(body).toMatchObject({ success: true, data: { metadata: { cacheState: 'hit' } } });
    await age(731);
    await runUpkeep(service.temporalAddress);
    await untilGone(async () => (await copies()).length > 0);
    await untilGone(() =>
      stat(file).then(
        () => true,
        () => false,
      ),
    );
  });
});

describe('the change history of a page', () => {
  it('is deleted with its text when it expires', async () => {
    const body = { formats: ['markdown', 'changeTracking'], fastMode: true };
    const [old, kept] = [`${site.url}/article/6?old`, `${site.url}/article/7?kept`];
    for (const url of [old, kept]) await call('/v2/scrape', { body: { url, ...body } });
    const versionOf = (url: string) =>
      db.query.selectFrom('page_versions').select('blob').where('url', '=', url).executeTakeFirst();
    const fileOf = (blob: string | null | undefined) =>
      path.join(service.dataDir, 'blobs', 'versions', blob!.slice(0, 2), blob!.slice(2));
    const [oldFile, keptFile] = [fileOf((await versionOf(old))?.blob), fileOf((await versionOf(kept))?.blob)];
    const aged = (days: number) => new Date(Date.now() - days * 86_400_000);
    await utimes(oldFile, aged(549), aged(549));
    await utimes(keptFile, aged(500), aged(500));
    await db.query
      .updateTable('page_versions')
      .set({ scraped_at: aged(366) })
      .where('url', '=', old)
      .execute();
    await runUpkeep(service.temporalAddress);
    await untilGone(async () => Boolean(await versionOf(old)));
    await untilGone(() =>
      stat(oldFile).then(
        () => true,
        () => false,
      ),
    );
    expect(await versionOf(kept)).toBeDefined();
    expect((await stat(keptFile)).isFile()).toBe(true);
  });
});

describe('a disk that is nearly full', () => {
  it('makes the API refuse new jobs, and results can still be read', async () => {
    const id = await startJob(BATCH, { urls: [`${site.url}/article/5`] });
    await finished(BATCH, id);
    await using app = await startApi({ WINNOW_MIN_FREE_DISK_MB: '1000000000' });
    const requests = [
      ['/v2/scrape', { url: site.url }],
      [BATCH, { urls: [site.url] }],
      ['/v2/crawl', { url: site.url }],
    ] as const;
    for (const [to, body] of requests) {
      const refused = await call(to, { body, url: app.url });
      expect(refused).toMatchObject({ status: 503, body: { success: false, code: 'INSUFFICIENT_STORAGE' } });
      expect(refused.body.error).toContain('MiB are free');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await call(`${BATCH}/${id}`, { url: app.url })).body.data).toHaveLength(1);
  });
});
