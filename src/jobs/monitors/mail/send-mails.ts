import { Counter } from 'prom-client';
import type { Blobs } from '../../../storage/blobs/index.ts';
import type { Database } from '../../../storage/db/client.ts';
import {
  claimDueMail,
  type MailAttempt,
  type MailLimit,
  type PendingMails,
  readPendingMails,
  recordMail,
  type StoredMail,
} from '../../../storage/db/monitors/mails.ts';
import { readMonitor, type StoredMonitor } from '../../../storage/db/monitors/monitors.ts';
import { listNewsOfMail, type NewsPage } from '../../../storage/db/monitors/news.ts';
import { retryInMs } from '../../webhooks/retry-schedule.ts';
import { readDetails } from '../page-details.ts';
import { subscriptionUrl } from '../signed-links.ts';
import { composeConfirmation, composeNews } from './compose-mail.ts';
import type { Mailer, OutgoingMail } from './mailer.ts';

/** Dependencies of sending mails. */
export interface MailDeps {
  db: Database;
  /** What checks of monitors have found. */
  monitorBlobs: Blobs;
  secretKey: string;
  /** Absent where the operator has no mail server. */
  mailer: Mailer | undefined;
  mailLimit: MailLimit;
}

/** The mails of monitors that this process has tried to send. A registry takes the counter in. */
export const sentMails = new Counter({
  name: 'winnow_mails_total',
  help: 'Attempts to send mails of monitors, by outcome: sent, pending until another attempt, failed or cancelled',
  labelNames: ['outcome'],
  registers: [],
});

/** Mails that one round sends. */
const MAX_PER_ROUND = 25;
/** Pages that a mail tells of. */
const MAX_PAGES = 25;
/** Milliseconds until a mail is tried for which this process has no room. */
const BUSY_MS = 2_000;

/** One round of sending mails. */
export interface MailRound {
  /** Fires when the process ends. */
  signal: AbortSignal;
  /** Called when a mail could not be sent. What a server says of a login or its network is not for tenants. */
  onFault: (error: unknown, mailId: string) => void;
}

/**
 * Sends the mails of a monitor that are due. One whose sending was not recorded is sent again, under the same
 * Message-ID.
 * @throws the signal's reason
 */
export async function sendDueMails(
  deps: MailDeps,
  monitorId: string,
  round: MailRound,
): Promise<PendingMails> {
  const { db, mailer, mailLimit } = deps;
  const monitor = await readMonitor(db, monitorId);
  if (!monitor) return { open: 0, nextDueInMs: undefined };
  using turn = mailer?.takeTurn(monitor.team_id);
  const isBusy = mailer !== undefined && turn === undefined;
  for (let sent = 0; sent < MAX_PER_ROUND && !isBusy; sent++) {
    round.signal.throwIfAborted();
    const mail = await claimDueMail(db, monitorId, mailLimit);
    if (!mail) break;
    const attempt = await attemptMail(deps, { monitor, mail, round });
    await recordMail(db, attempt);
    sentMails.inc({ outcome: attempt.status });
  }
  const { open, nextDueInMs } = await readPendingMails(db, monitorId);
  if (nextDueInMs === undefined || !isBusy) return { open, nextDueInMs };
  return { open, nextDueInMs: Math.max(BUSY_MS, nextDueInMs) };
}

async function attemptMail(
  deps: MailDeps,
  { monitor, mail, round }: { monitor: StoredMonitor; mail: StoredMail; round: MailRound },
): Promise<MailAttempt> {
  const { id, attempts } = mail;
  if (!deps.mailer)
    return { id, status: 'failed', error: 'The operator has removed the mail server (WINNOW_SMTP_URL).' };
  const outgoing = await compose(deps, monitor, mail);
  if (!outgoing) return { id, status: 'cancelled', error: 'What it was to tell of has expired.' };
  try {
    await deps.mailer.send(outgoing);
    return { id, status: 'sent', error: null };
  } catch (error) {
    round.onFault(error, id);
    const retry = isRefused(error) ? undefined : retryInMs(attempts);
    const message = error instanceof Error ? error.message : String(error);
    return { id, status: retry === undefined ? 'failed' : 'pending', error: message, retryInMs: retry };
  }
}

/** Whether the server has refused a mail or its recipient for good (RFC 5321, 4.2.1), and not its login. */
function isRefused(error: unknown): boolean {
  // Errors of nodemailer have these fields.
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
}

/** Writes a mail. @returns `undefined` if there is nothing to tell any more */
async function compose(
  { db, monitorBlobs, secretKey }: MailDeps,
  monitor: StoredMonitor,
  { id, kind, recipient }: StoredMail,
): Promise<OutgoingMail | undefined> {
  const { name, base_url: baseUrl, timezone } = monitor;
  const linkTo = (action: 'confirm' | 'unsubscribe') =>
    subscriptionUrl({ monitorId: monitor.id, email: recipient, action }, baseUrl, secretKey);
  if (kind === 'confirmation')
    return {
      id,
      to: recipient,
      ...composeConfirmation({ monitorName: name, confirmUrl: linkTo('confirm') }),
    };
  const { pages, total } = await listNewsOfMail(db, id, MAX_PAGES);
  if (pages.length === 0) return undefined;
  const unsubscribeUrl = linkTo('unsubscribe');
  const text = composeNews({
    monitor: { name, timezone },
    pages: await Promise.all(pages.map((page) => withDetails(page, monitor, monitorBlobs))),
    total,
    consoleUrl: `${baseUrl}/console/monitors/${monitor.id}`,
    unsubscribeUrl,
  });
  return { id, to: recipient, unsubscribeUrl, ...text };
}

const withDetails = async (page: NewsPage, { notification }: StoredMonitor, monitorBlobs: Blobs) => ({
  ...page,
  details: wantsDiffs(notification) ? await readDetails(monitorBlobs, page.blob) : undefined,
});

/** The API validated the settings before they were stored. */
const wantsDiffs = (notification: StoredMonitor['notification']) =>
  (notification as { email?: { includeDiffs?: boolean } } | null)?.email?.includeDiffs === true;
