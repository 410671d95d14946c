import { Context } from '@temporalio/activity';
import { deliverDueEvents, type WebhookDeps } from '../jobs/webhooks/delivery.ts';
import type { PendingDeliveries } from '../storage/db/webhooks.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Milliseconds that one activity delivers events before it returns to its workflow. */
const ROUND_MS = 5_000;

/** The activity that delivers the webhook events of jobs. */
export function webhookActivities(deps: WebhookDeps) {
  return {
    /**
     * Sends the due events of a job and waits for new ones, for a few seconds. The activity may be repeated:
     * an event whose delivery was not recorded is sent again.
     */
    async deliverWebhooks(jobId: string): Promise<PendingDeliveries> {
      const { cancellationSignal: signal, log } = Context.current();
      using _ = startHeartbeat();
      // `await` is needed here, because the heartbeat stops when this function returns.
      return await deliverDueEvents(deps, {
        jobId,
        durationMs: ROUND_MS,
        signal,
        onFault: (error, eventId) =>
          log.error('webhook event could not be sent', {
            eventId,
            error: String((error as Error)?.stack ?? error),
          }),
      });
    },
  };
}
