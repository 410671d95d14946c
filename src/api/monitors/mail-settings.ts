import type { Config } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { MonitorNotification } from '../../schemas/monitor.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import type { ApiDeps } from '../http/route.ts';

/** @throws ServiceError `FEATURE_NOT_AVAILABLE` if a monitor wants mails, and the operator has no mail server */
export function requireMailServer(
  { mailServer }: Pick<Config, 'mailServer'>,
  notification: MonitorNotification | null | undefined,
): void {
  if (!notification?.email?.enabled || mailServer) return;
  throw new ServiceError(
    'FEATURE_NOT_AVAILABLE',
    'notification.email is not available, because this service has no mail server: its operator sets one by WINNOW_SMTP_URL and WINNOW_MAIL_FROM. Set a webhook instead.',
  );
}

/** Has mails sent that ask new recipients. Where Temporal does not respond, upkeep does it later. */
export async function sendMails({ temporal, logger }: ApiDeps, monitor: StoredMonitor): Promise<void> {
  await temporal
    .startMails(monitor)
    .catch((error) => logger.warn({ err: error, monitorId: monitor.id }, 'mails could not be sent yet'));
}
