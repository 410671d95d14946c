import { Context } from '@temporalio/activity';
import type { DeliverySurvey } from '../db/webhooks.ts';
import { deliverRound, type WebhookDoors } from './courier.ts';
import { startHeartbeat } from './heartbeat.ts';

export type { WebhookDoors } from './courier.ts';

/** What a job's deliveries do before they come back to their workflow. */
const ROUND_MS = 5_000;

/** The activities that send the events of jobs. */
export function webhookActivities(doors: WebhookDoors) {
  return {
    /**
     * Sends what is due of a job's events and looks out for new ones, for a few seconds. Attempts may repeat: an event
     * whose delivery was not written down is sent again.
     */
    async deliverWebhooks(jobId: string): Promise<DeliverySurvey> {
      const { cancellationSignal: signal, log } = Context.current();
      using _ = startHeartbeat();
      // Awaited here: the heart beats until it is done.
      return await deliverRound(doors, {
        jobId,
        forMs: ROUND_MS,
        signal,
        onFault: (error, eventId) =>
          log.error('event not delivered', { eventId, error: String((error as Error)?.stack ?? error) }),
      });
    },
  };
}
