import { Context } from '@temporalio/activity';
import { type MailDeps, sendDueMails } from '../jobs/monitors/mail/send-mails.ts';
import type { PendingMails } from '../storage/db/monitors/mails.ts';
import { startHeartbeat } from './heartbeat.ts';

/** The activity that sends the mails of monitors. */
export function mailActivities(deps: MailDeps) {
  return {
    /** Sends the mails of a monitor that are due. It may be repeated: a mail whose sending was not recorded is sent again. */
    async sendMails(monitorId: string): Promise<PendingMails> {
      const { cancellationSignal: signal, log } = Context.current();
      using _ = startHeartbeat();
      return await sendDueMails(deps, monitorId, {
        signal,
        onFault: (error, mailId) => log.warn('a mail could not be sent', { mailId, error: String(error) }),
      });
    },
  };
}
