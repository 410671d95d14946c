import { ApplicationFailure, Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { startHeartbeat } from '../../src/activities/heartbeat.ts';
import { deleteSession } from '../../src/api/sessions/delete-session.ts';
import { endSession, findSession } from '../../src/storage/db/sessions.ts';
import { Temporal } from '../../src/temporal/workflow-client.ts';
import { makeTeam, storeSession, useDatabase } from '../support/storage/database.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/**
 * How the workflow of a session finds a host that can start its browser, and how it ends the session there.
 */

const db = useDatabase();
const shared = useTemporal();

/** Stores a session, and runs its host, which is the test. */
async function hostSession(activities: (queue: string) => object, expiresAt = Date.now() + 600_000) {
  const { id: teamId } = await makeTeam(db);
  const id = await storeSession(db.query, teamId);
  const queue = `host-of-${id}`;
  const worker = await Worker.create({
    connection: shared.connection,
    namespace: 'default',
    taskQueue: queue,
    activities: activities(queue),
  });
  const temporal = new Temporal(shared.connection, 'default');
  const start = () =>
    temporal.startSession({
      sessionId: id,
      teamId,
      kind: 'browser',
      label: 'test',
      expiresAt,
      activityTtlMs: 300_000,
      hostQueue: queue,
    });
  return { id, worker, temporal, start };
}

/** Starts a stored session on a host whose starts fail with an error code. */
async function startOnHostThatFails(code: string) {
  let starts = 0;
  const { id, worker, temporal, start } = await hostSession(() => ({
    async startSession() {
      starts++;
      throw ApplicationFailure.create({ message: 'it fails here', type: code, nonRetryable: true });
    },
  }));
  const opened = await worker.runUntil(
    start().then(
      () => 'opened',
      (error) => error.code,
    ),
  );
  const session = await findSession(db, id);
  await temporal.endSession(id, 30_000);
  await endSession(db, { id, reason: 'deleted' });
  return { opened, session, starts };
}

it.each(['SESSION_LIMIT_REACHED', 'SESSION_FAILED'])(
  'a host that fails with %s is followed by another one',
  async (code) => {
    expect(await startOnHostThatFails(code)).toMatchObject({
      opened: 'opened',
      starts: 1,
      session: { state: 'active', host: expect.stringMatching(/^http/) },
    });
  },
);

it('no other host is asked when the session itself cannot be started', async () => {
  expect(await startOnHostThatFails('PROFILE_LOCKED')).toMatchObject({ opened: 'PROFILE_LOCKED', starts: 1 });
});

it('a host that could not be asked to end a session is asked again', async () => {
  const ended = Promise.withResolvers<void>();
  let stops = 0;
  const { id, worker, temporal, start } = await hostSession((queue) => ({
    startSession: async () => ({ queue }),
    async keepSession() {
      using _ = startHeartbeat();
      await ended.promise;
      return { reason: 'deleted' };
    },
    async stopSession() {
      if (++stops === 1) throw ApplicationFailure.nonRetryable('as if it were not connected');
      ended.resolve();
    },
  }));
  const end = await worker.runUntil(async () => {
    await start();
    return temporal.endSession(id, 120_000);
  });
  expect([end, stops]).toEqual(['ended', 2]);
  expect(await findSession(db, id)).toMatchObject({ state: 'destroyed', end_reason: 'deleted' });
});

it('a session that is extended ends at its new time', async () => {
  const ended = Promise.withResolvers<{ reason: string; at: number }>();
  const [first, extended] = [Date.now() + 4_000, Date.now() + 7_000];
  const { id, worker, temporal, start } = await hostSession(
    (queue) => ({
      startSession: async () => ({ queue }),
      async keepSession() {
        using _ = startHeartbeat();
        const { reason } = await ended.promise;
        return { reason };
      },
      async stopSession(_id: string, reason: string) {
        ended.resolve({ reason, at: Date.now() });
      },
    }),
    first,
  );
  const { reason, at } = await worker.runUntil(async () => {
    await start();
    await temporal.extendSession(id, extended);
    return ended.promise;
  });
  expect(reason).toBe('ttl');
  expect(at).toBeGreaterThanOrEqual(extended);
  await endSession(db, { id, reason: 'ttl' });
});

it('a session that is deleted just before its workflow starts ends nonetheless', async () => {
  const begun = Promise.withResolvers<void>();
  const { id, worker, temporal, start } = await hostSession(() => ({
    async startSession() {
      using _ = startHeartbeat();
      begun.resolve();
      await Context.current().cancelled;
    },
    stopSession: () => Promise.resolve(),
  }));
  let starting: Promise<unknown> | undefined;
  const findings: string[] = [];
  /** Starts the workflow after it was looked for. */
  const endSessionBefore = async (...options: Parameters<Temporal['endSession']>) => {
    const found = await temporal.endSession(...options);
    findings.push(found);
    starting ??= start().catch(({ code }) => code);
    await begun.promise;
    return found;
  };
  const late = Object.assign(Object.create(temporal), { endSession: endSessionBefore });
  const deleted = await worker.runUntil(async () => {
    const outcome = await deleteSession({ id, state: 'creating' }, { db, temporal: late });
    return [outcome.creditsBilled, await starting];
  });
  expect([findings, deleted]).toEqual([
    ['absent', 'ended'],
    [0, 'SESSION_DESTROYED'],
  ]);
  expect(await findSession(db, id)).toMatchObject({ state: 'destroyed', end_reason: 'deleted' });
});
