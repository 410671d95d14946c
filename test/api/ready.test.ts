import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { reportWorker, requireWorkers } from '../../src/db/workers.ts';
import { runningDatabaseUrl } from '../../src/embedded/postgres.ts';
import { type Site, startSite } from '../site/site.ts';
import { type Answer, call, scrape } from '../support/api.ts';
import { openTestDatabase } from '../support/database.ts';
import { type RunFile, startInstance } from '../support/instance.ts';

/** Whether the API says so when nobody would do its work. */

let site: Site;
let db: Database;
beforeAll(async () => {
  site = await startSite();
  db = openTestDatabase();
});
afterAll(() => Promise.all([db.close(), site.close()]));

async function workerPid(): Promise<number> {
  const file = path.join(inject('service').dataDir, 'run.json');
  const run: RunFile = JSON.parse(await readFile(file, 'utf8'));
  const pid = run.children.worker?.pid;
  if (!pid) throw new Error(`${file} names no worker`);
  return pid;
}

const ready = () => call('/ready', { key: null });

async function readyWith(status: number): Promise<Answer['body']> {
  for (;;) {
    const answer = await ready();
    if (answer.status === status) return answer.body;
    await sleep(50);
  }
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
    stopped = await workerPid();
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
    const pid = await workerPid();
    process.kill(pid, 'SIGTERM');
    await readyWith(503);
    await readyWith(200);
    expect(await workerPid()).not.toBe(pid);
    expect((await scrape({ url: `${site.url}/article/1?ready` })).status).toBe(200);
  });
});

describe('a worker that was ended together with the database', () => {
  it('does not count when the database is back, though it never said goodbye', async () => {
    const instance = await startInstance();
    // The connection that breaks is replaced by the next statement.
    const own = openDatabase(runningDatabaseUrl(instance.dataDir), () => undefined);
    const postgresPid = async () => (await instance.run()).children.postgres?.pid;
    const find = () => sql<{ id: string }>`select id from workers where 'ghost' = any (roles)`;
    try {
      const id = randomUUID();
      await reportWorker(own, { id, roles: ['ghost'] });
      await expect(requireWorkers(own, ['ghost'])).resolves.toBeUndefined();
      const before = await postgresPid();
      process.kill(before!, 'SIGINT');
      while ([before, undefined].includes(await postgresPid())) await sleep(50);
      let rows: { id: string }[] | undefined;
      while (!rows)
        rows = (
          await find()
            .execute(own.query)
            .catch(() => undefined)
        )?.rows;
      expect(rows).toEqual([{ id }]);
      await expect(requireWorkers(own, ['ghost'])).rejects.toThrow('No worker polls for the roles ghost');
    } finally {
      await own.close();
      await instance.stop();
    }
  });
});
