import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { requireWorkers } from '../../src/db/workers.ts';
import { call } from '../support/api.ts';
import { openTestDatabase } from '../support/database.ts';

let db: Database;
beforeAll(() => {
  db = openTestDatabase();
});
afterAll(() => db.close());

const ready = () => call('/ready', { key: null });

/** Readiness with all parts running; `e2e/faults.test.ts` stops the worker. */

describe('/ready of the API', () => {
  it('is 200 while a worker polls for every role', async () => {
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ok', parts: { database: 'ok', blobs: 'ok', temporal: 'ok', workers: 'ok' } },
    });
  });

  it('names exactly the roles that no worker polls for', async () => {
    await expect(requireWorkers(db, ['scrape', 'pages', 'webhooks'])).resolves.toBeUndefined();
    await expect(requireWorkers(db, ['scrape', 'nobody', 'none'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('for the roles nobody, none.'),
    });
  });
});
