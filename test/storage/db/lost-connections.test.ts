import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { type FaultyProxy, type NetworkFault, startFaultyProxy } from '../../support/network/faulty-proxy.ts';
import { openEmptyDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** What becomes of statements when the network between this process and Postgres fails. */

const SILENT_MS = 300;

/** Opens an empty database through a proxy that can be made faulty. */
async function openFaultily() {
  const empty = await openEmptyDatabase();
  const url = new URL(empty.url);
  // Without the directory of the socket, the connection is one of TCP.
  url.search = '';
  const proxy = await startFaultyProxy(Number(url.port));
  url.port = String(proxy.port);
  const db = openDatabase(url.href, () => undefined, { silentMs: SILENT_MS });
  const direct = empty.open();
  return {
    db,
    proxy,
    direct,
    async [Symbol.asyncDispose]() {
      proxy.end();
      await Promise.all([db.close(), direct.close()]);
      await proxy.close();
      await empty[Symbol.asyncDispose]();
    },
  };
}

const one = sql<{ one: number }>`select 1 as one`;

it.each<[string, NetworkFault]>([
  ['is cut', { kind: 'cut' }],
  ['hangs', { kind: 'hang' }],
  ['hangs on the way to Postgres', { kind: 'hang', direction: 'to server' }],
  ['hangs on the way back', { kind: 'hang', direction: 'to client' }],
  ['has lost the connection without a word', { kind: 'forget' }],
])(
  'a statement fails as one of an unavailable database when the network %s, and the next one after it does not',
  async (_what, fault) => {
    await using place = await openFaultily();
    const { db, proxy } = place;
    expect((await one.execute(db.query)).rows).toEqual([{ one: 1 }]);
    proxy.begin(fault);
    await expect(one.execute(db.query)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The database does not respond. Try again in a few seconds.',
    });
    proxy.end();
    expect((await one.execute(db.query)).rows).toEqual([{ one: 1 }]);
  },
);

it('a statement that is silent for long is waited for by a patient connection', async () => {
  await using place = await openFaultily();
  const { rows } = await sql<{
    slept: string;
  }>`select pg_sleep(${(2 * SILENT_MS) / 1_000})::text as slept`.execute(place.db.patient.query);
  expect(rows).toEqual([{ slept: '' }]);
});

it('the locks of a transaction whose connection the network has lost are freed by Postgres itself', async () => {
  await using place = await openFaultily();
  const { db, direct } = place;
  const read = (setting: string) =>
    sql<{ value: string }>`select current_setting(${setting}) as value`.execute(db.query);
  expect((await read('idle_in_transaction_session_timeout')).rows).toEqual([{ value: '30s' }]);
  expect((await read('tcp_keepalives_idle')).rows).toEqual([{ value: '10' }]);
  const lost = db.query.transaction().execute(async (query) => {
    await sql`set local idle_in_transaction_session_timeout = 100`.execute(query);
    await sql`select pg_advisory_xact_lock(1)`.execute(query);
    place.proxy.begin({ kind: 'forget' });
    await one.execute(query);
  });
  await expect(lost).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const isFree = sql<{ free: boolean }>`select pg_try_advisory_xact_lock(1) as free`;
  await pollUntil(async () => (await isFree.execute(direct.query)).rows[0]?.free);
});

it('a database that is read only is one that does not take changes at the moment', async () => {
  await using place = await openFaultily();
  const { direct } = place;
  const write = direct.query.transaction().execute(async (query) => {
    await sql`set transaction read only`.execute(query);
    await sql`create table changes ()`.execute(query);
  });
  await expect(write).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('takes no changes'),
  });
});

/** A proxy is what the other tests of faults rely on. */
it('a proxy delivers what was sent during a fault after it, in order', async () => {
  await using place = await openFaultily();
  const { proxy }: { proxy: FaultyProxy } = place;
  const { db } = place;
  await one.execute(db.patient.query);
  proxy.begin({ kind: 'hang' });
  const late = one.execute(db.patient.query);
  await pollUntil(() => proxy.held > 0);
  proxy.end();
  expect((await late).rows).toEqual([{ one: 1 }]);
});
