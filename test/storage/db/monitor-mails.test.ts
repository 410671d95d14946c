import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mailer } from '../../../src/jobs/monitors/mail/mailer.ts';
import { type MailDeps, sendDueMails } from '../../../src/jobs/monitors/mail/send-mails.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { endCheck } from '../../../src/storage/db/monitors/checks.ts';
import { listMonitorsWithLateMails, readPendingMails } from '../../../src/storage/db/monitors/mails.ts';
import { findMonitor, type StoredMonitor } from '../../../src/storage/db/monitors/monitors.ts';
import { addCheckPages, pageWithoutDocument } from '../../../src/storage/db/monitors/pages.ts';
import { changeSubscription, subscribeRecipients } from '../../../src/storage/db/monitors/subscriptions.ts';
import { type MailServer, startMailServer } from '../../support/mail/mail-server.ts';
import { makeTeam, type TestTeam, useOwnDatabase } from '../../support/storage/database.ts';
import { storeCheck, storeMonitor } from '../../support/storage/monitors.ts';

/** Mails of monitors: who gets which, when, and under which id. */

const db = useOwnDatabase();
let directory: string;
let monitorBlobs: Blobs;
let server: MailServer;
const refusals = new Map<string, number>();

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-mails-'));
  monitorBlobs = await openBlobs(directory, 'monitors');
  server = await startMailServer((address) => refusals.get(address));
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function makeMonitor(team: TestTeam, email: object): Promise<StoredMonitor> {
  const monitor = await storeMonitor(db, {
    team_id: team.id,
    name: 'Prices',
    timezone: 'Europe/Berlin',
    notification: JSON.stringify({ email: { enabled: true, ...email } }),
  });
  await subscribeRecipients(db.query, monitor, []);
  return monitor;
}

const confirm = ({ id: monitorId }: StoredMonitor, email: string) =>
  changeSubscription(db, { monitorId, email }, 'confirmed');

/** A check in which a page has changed. */
async function checkWithNews({ id, team_id }: StoredMonitor, isMeaningful?: boolean): Promise<void> {
  const monitor = await findMonitor(db, { id, teamId: team_id });
  const checkId = await storeCheck(db, monitor!);
  await addCheckPages(db.query, { checkId, monitorId: id }, [
    pageWithoutDocument(randomUUID(), {
      targetId: 'target-1',
      url: 'https://shop.test/',
      status: 'changed',
      statusCode: 200,
    }),
  ]);
  if (isMeaningful !== undefined) {
    const judgment = {
      meaningful: isMeaningful,
      confidence: 'high',
      reason: 'Cheaper.',
      meaningfulChanges: [],
    };
    await db.query
      .updateTable('monitor_pages')
      .set({ judgment: JSON.stringify(judgment) })
      .where('check_id', '=', checkId)
      .execute();
  }
  const summary = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 };
  await endCheck(db, checkId, { status: 'completed', summary, credits: 1, targetResults: [], error: null });
}

const send = ({ id }: StoredMonitor, deps: Partial<MailDeps> = {}) =>
  sendDueMails(
    {
      db,
      monitorBlobs,
      secretKey: 'a secret key',
      mailer: new Mailer({ url: server.url, from: 'winnow@example.org' }),
      mailLimit: { perHour: 100 },
      ...deps,
    },
    id,
    { signal: new AbortController().signal, onFault: () => undefined },
  );

const makeDue = ({ id }: StoredMonitor) =>
  sql`update monitor_mails set due_at = now() - interval '1 minute' where monitor_id = ${id}`.execute(
    db.query,
  );
const mailsOf = ({ id }: StoredMonitor) =>
  db.query
    .selectFrom('monitor_mails')
    .selectAll()
    .where('monitor_id', '=', id)
    .orderBy('created_at')
    .execute();
const received = (address: string) =>
  server.mails.filter(({ to }) => to?.some((each) => 'address' in each && each.address === address));
const addressOf = () => `${randomUUID()}@example.com`;

describe('a mail', () => {
  it('keeps its Message-ID when it is sent again after its process died, and is not sent a third time', async () => {
    const email = addressOf();
    const monitor = await makeMonitor(await makeTeam(db), { recipients: [email] });
    await send(monitor);
    // The process died after the server had accepted the mail, and before that was recorded.
    await db.query
      .updateTable('monitor_mails')
      .set({ status: 'pending' })
      .where('monitor_id', '=', monitor.id)
      .execute();
    await makeDue(monitor);
    await send(monitor);
    await send(monitor);
    const ids = received(email).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids)).toEqual(new Set([`<${(await mailsOf(monitor))[0]?.id}@example.org>`]));
  });

  it('is tried again after a temporary refusal, and is found by upkeep if nobody sends it', async () => {
    const email = addressOf();
    refusals.set(email, 451);
    const monitor = await makeMonitor(await makeTeam(db), { recipients: [email] });
    const { open, nextDueInMs } = await send(monitor);
    expect([open, Math.round(nextDueInMs! / 60_000)]).toEqual([1, 1]);
    refusals.delete(email);
    await makeDue(monitor);
    expect(await listMonitorsWithLateMails(db, 1_000)).toContain(monitor.id);
    expect(await send(monitor)).toEqual({ open: 0, nextDueInMs: undefined });
    expect(received(email)).toHaveLength(1);
  });

  it('is given up when the server refuses its recipient for good, and not when it refuses the login', async () => {
    const email = addressOf();
    refusals.set(email, 550);
    const refused = await makeMonitor(await makeTeam(db), { recipients: [email] });
    await send(refused);
    expect(await mailsOf(refused)).toMatchObject([{ status: 'failed', attempts: 1 }]);
    const waiting = await makeMonitor(await makeTeam(db), { recipients: [addressOf()] });
    const url = server.url.replace('p%20w', 'wrong');
    await send(waiting, { mailer: new Mailer({ url, from: 'winnow@example.org' }) });
    expect(await mailsOf(waiting)).toMatchObject([{ status: 'pending', attempts: 1 }]);
  });

  it('waits while its team has sent as many in an hour as it may', async () => {
    const team = await makeTeam(db);
    const emails = [addressOf(), addressOf(), addressOf()];
    const monitor = await makeMonitor(team, { recipients: emails });
    const limited = { mailLimit: { perHour: 2 } };
    const { open, nextDueInMs } = await send(monitor, limited);
    expect(open).toBe(1);
    expect(Math.round(nextDueInMs! / 60_000)).toBe(60);
    expect(emails.flatMap(received)).toHaveLength(2);
    const other = await makeMonitor(await makeTeam(db), { recipients: [addressOf()] });
    expect(await send(other, limited)).toEqual({ open: 0, nextDueInMs: undefined });
  });

  it('of a digest tells of all checks until it is due', async () => {
    const email = addressOf();
    const monitor = await makeMonitor(await makeTeam(db), { recipients: [email], digest: 'daily' });
    await send(monitor);
    await confirm(monitor, email);
    await checkWithNews(monitor);
    await checkWithNews(monitor);
    const { open, nextDueInMs } = await readPendingMails(db, monitor.id);
    expect(open).toBe(1);
    const due = new Date(Date.now() + nextDueInMs!);
    const local = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' });
    expect(local.format(Math.round(due.getTime() / 1000) * 1000)).toBe('08:00');
    await makeDue(monitor);
    await send(monitor);
    expect(received(email).map(({ subject }) => subject)).toEqual([
      'Please confirm mails of the monitor “Prices”',
      'Prices: 2 changed',
    ]);
    // What is found later is in a mail of its own.
    await checkWithNews(monitor);
    expect((await readPendingMails(db, monitor.id)).open).toBe(1);
  });

  it('tells of changes that matter for the goal of its monitor, with the reason, and of no others', async () => {
    const email = addressOf();
    const monitor = await makeMonitor(await makeTeam(db), { recipients: [email] });
    await send(monitor);
    await confirm(monitor, email);
    await checkWithNews(monitor, false);
    expect((await readPendingMails(db, monitor.id)).open).toBe(0);
    await checkWithNews(monitor, true);
    await send(monitor);
    expect(received(email).at(-1)?.text).toContain('Cheaper.');
  });

  it('is not sent to who has unsubscribed since, nor of a monitor that was deleted', async () => {
    const email = addressOf();
    const monitor = await makeMonitor(await makeTeam(db), { recipients: [email] });
    await send(monitor);
    await confirm(monitor, email);
    await checkWithNews(monitor);
    await changeSubscription(db, { monitorId: monitor.id, email }, 'unsubscribed');
    await send(monitor);
    expect(received(email)).toHaveLength(1);
    await confirm(monitor, email);
    await checkWithNews(monitor);
    await db.query.updateTable('monitors').set({ status: 'deleted' }).where('id', '=', monitor.id).execute();
    await send(monitor);
    expect(received(email)).toHaveLength(1);
    expect((await mailsOf(monitor)).map(({ status }) => status)).toEqual(['sent', 'cancelled', 'cancelled']);
  });
});

describe('a recipient', () => {
  it('is asked once for several monitors of a team, and confirms all of them', async () => {
    const email = addressOf();
    const team = await makeTeam(db);
    const first = await makeMonitor(team, { recipients: [email] });
    const second = await makeMonitor(team, { recipients: [email] });
    await send(first);
    await send(second);
    expect(received(email)).toHaveLength(1);
    await confirm(first, email);
    const third = await makeMonitor(team, { recipients: [email] });
    for (const monitor of [second, third]) {
      await checkWithNews(monitor);
      await send(monitor);
    }
    expect(received(email)).toHaveLength(3);
    // Another team has to ask for itself.
    await send(await makeMonitor(await makeTeam(db), { recipients: [email] }));
    expect(received(email).at(-1)?.subject).toMatch(/^Please confirm/);
  });

  it('who has unsubscribed stays so until a request adds them again', async () => {
    const email = addressOf();
    const monitor = await makeMonitor(await makeTeam(db), { recipients: [email] });
    await changeSubscription(db, { monitorId: monitor.id, email }, 'unsubscribed');
    const status = async () =>
      (
        await db.query
          .selectFrom('monitor_subscriptions')
          .select('status')
          .where('monitor_id', '=', monitor.id)
          .executeTakeFirst()
      )?.status;
    await subscribeRecipients(db.query, monitor, [email]);
    expect(await status()).toBe('unsubscribed');
    await subscribeRecipients(db.query, monitor, []);
    expect(await status()).toBe('pending');
  });
});
