import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { requireWorkers } from '../../src/db/workers.ts';
import { type Site, startSite } from '../site/site.ts';
import { type Answer, call, scrape } from '../support/api.ts';
import { openTestDatabase } from '../support/database.ts';
import { pollUntil } from '../support/poll.ts';
import { useService } from '../support/use-service.ts';

const service = useService();

/** Whether the API says so when nobody would do its work. */

let site: Site;
let db: Database;
beforeAll(async () => {
  site = await startSite();
  db = openTestDatabase();
});
afterAll(() => Promise.all([db.close(), site.close()]));

function workerPid(): number {
  const pid = service.readRunFile().children.worker?.pid;
  if (!pid) throw new Error('The run file names no worker');
  return pid;
}

const ready = () => call('/ready', { key: null });

/** Waits until `/ready` answers with this status. @returns the body of that response */
function readyWith(status: number): Promise<Answer['body']> {
  return pollUntil(async () => {
    const response = await ready();
    return response.status === status && response.body;
  });
}

describe('/ready of the API', () => {
  let stopped: number | undefined;
  afterEach(async () => {
    if (stopped) process.kill(stopped, 'SIGCONT');
    stopped = undefined;
    await readyWith(200);
  });

  it('is green while a worker polls for every role', async () => {
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ok', parts: { database: 'ok', blobs: 'ok', temporal: 'ok', workers: 'ok' } },
    });
  });

  it('names the roles that nobody polls for, and only them', async () => {
    await expect(requireWorkers(db, ['scrape', 'pages', 'webhooks'])).resolves.toBeUndefined();
    await expect(requireWorkers(db, ['scrape', 'nobody', 'none'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('for the roles nobody, none:'),
    });
  });

  it('turns red when the only worker hangs, and green when it goes on', async () => {
    stopped = workerPid();
    process.kill(stopped, 'SIGSTOP');
    const { status, parts } = await readyWith(503);
    expect(status).toBe('not ready');
    expect(parts).toMatchObject({
      database: 'ok',
      temporal: 'ok',
      workers: expect.stringContaining('No worker polls for the roles scrape, pages, webhooks'),
    });
    process.kill(stopped, 'SIGCONT');
    await readyWith(200);
  });

  it('is red from when the only worker ends in order until the next one can do a scrape', async () => {
    const pid = workerPid();
    process.kill(pid, 'SIGTERM');
    await readyWith(503);
    await readyWith(200);
    expect(workerPid()).not.toBe(pid);
    expect((await scrape({ url: `${site.url}/article/1?ready` })).status).toBe(200);
  });
});
