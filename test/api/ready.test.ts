import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { removeWorker, reportWorker, requireWorkers } from '../../src/storage/db/workers.ts';
import { call } from '../support/api/call.ts';
import { useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

const db = useDatabase();

const ready = () => call('/ready', { key: null });

/** Readiness with all parts running; `e2e/faults.test.ts` stops the worker. */

describe('/ready of the API', () => {
  it('is 200 while a worker polls for every role', async () => {
    // A worker that a busy machine keeps from its report is not counted for a moment.
    const answer = await pollUntil(async () => {
      const response = await ready();
      return response.status === 200 && response;
    });
    expect(answer).toMatchObject({
      body: { status: 'ok', parts: { database: 'ok', blobs: 'ok', temporal: 'ok', workers: 'ok' } },
    });
  });

  it('names exactly the roles that no worker polls for', async () => {
    const id = randomUUID();
    await reportWorker(db, { id, roles: ['somebody', 'anybody'], hasRoom: false });
    await expect(requireWorkers(db, ['somebody', 'anybody'])).resolves.toBeUndefined();
    await expect(requireWorkers(db, ['somebody', 'nobody', 'none'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('for the roles nobody, none.'),
    });
    await removeWorker(db, id);
  });
});
