import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, sourcesOf, startJob, untilStatus } from '../support/api/jobs.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { openTestDatabase } from '../support/storage/database.ts';

/** A machine is lost while a crawl runs, and another one goes on from the backup. */

const PAGES = 40;
const root = await mkdtemp(path.join(tmpdir(), 'winnow-lost-machine-'));
// Started by root, Postgres runs as another user, which needs to pass through the directory.
await chmod(root, 0o711);
let service: RunningService | undefined;
afterAll(async () => {
  await service?.stop();
  await rm(root, { recursive: true, force: true });
});

it('a service is backed up while a crawl runs, and restored in an empty directory, where the crawl completes', async () => {
  // From the tenth page on, they wait until the machine is lost.
  const machineIsLost = Promise.withResolvers<void>();
  const names = Array.from({ length: PAGES }, (_, page) => `/page-${page}`);
  const serve =
    (name: string, page: number): RequestListener =>
    async (_request, response) => {
      if (page >= 10) await machineIsLost.promise;
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(`<h1>Page ${name}</h1><p>Text of ${name}.</p>`);
    };
  await using site = await startPages({
    '/': `<h1>Pages</h1>${names.map((name) => `<a href="${name}">${name}</a>`).join(' ')}`,
    '/single': '<h1>Single</h1>',
    ...Object.fromEntries(names.map((name, page) => [name, serve(name, page)])),
  });
  const lost = await startService({ emptyPostgres: inject('emptyPostgres') });
  const scrape = await call('/v2/scrape', {
    url: lost.url,
    key: lost.key,
    body: { url: `${site.url}/single` },
  });
  expect(scrape.body).toMatchObject({ success: true });
  const id = await startJob('/v2/crawl', { url: site.url, maxConcurrency: 2, limit: PAGES + 1 }, lost);
  const seen = await untilStatus(`/v2/crawl/${id}`, ({ completed }) => completed >= 5, lost);
  expect(seen.status).toBe('scraping');

  const file = path.join(root, 'backup.tar');
  const backup = await runInProcess(['backup', file], { settings: { WINNOW_DATA_DIR: lost.dataDir } });
  expect(backup.exitCode, backup.stderr).toBe(0);
  const acknowledged = sourcesOf(seen);
  lost.process.kill('SIGKILL');
  await once(lost.process, 'exit');
  machineIsLost.resolve();

  const dataDir = path.join(root, 'data');
  const restored = await runInProcess(['restore', file], { settings: { WINNOW_DATA_DIR: dataDir } });
  expect(restored.exitCode, restored.stderr).toBe(0);
  service = await startService({ dataDir });
  expect(service.key).toBe(lost.key);
  const end = await finished('/v2/crawl', id, service);
  expect(end).toMatchObject({ status: 'completed', total: PAGES + 1, completed: PAGES + 1 });
  const { body: all } = await call(`/v2/crawl/${id}?limit=100`, service);
  const sources = sourcesOf(all);
  expect(new Set(sources).size).toBe(PAGES + 1);
  expect(sources).toHaveLength(PAGES + 1);
  expect(sources).toEqual(expect.arrayContaining(acknowledged));
  await expectLedgerToMatch(service, id);

  // The processes that were left running are stopped, and Postgres alone is started for the backup.
  const again = await runInProcess(['backup', file], { settings: { WINNOW_DATA_DIR: lost.dataDir } });
  expect(again.exitCode, again.stderr).toBe(0);
  await lost.stop();
});

/** Each page has one result and one entry in the ledger. */
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
