import {
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { deliveryWorkflowIdOf } from '../job-kinds.ts';
import { deliveries } from './activities.ts';
import { wake } from './signals.ts';
import { startOrWake } from './start-or-wake.ts';

/** The input of a delivery workflow. Everything else is in the database. */
export interface DeliverInput {
  jobId: string;
}

/** Delivers the events of one job until the job has ended and nothing is left to be sent. */
export async function deliver({ jobId }: DeliverInput): Promise<void> {
  let woken = 0;
  setHandler(wake, () => {
    woken++;
  });
  for (;;) {
    const seen = woken;
    const { open, nextDueInMs, jobEnded } = await deliveries.deliverWebhooks(jobId);
    setCurrentDetails(`Webhook events that are not delivered yet: ${open}`);
    // The workflow was woken after something was stored that this report may not include yet.
    if (woken !== seen) continue;
    if (jobEnded && open === 0) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliver>({ jobId });
    // A running job may write events at any time. The activity is therefore called again at once, and waits
    // for them.
    if (jobEnded && nextDueInMs) await condition(() => woken !== seen, nextDueInMs);
  }
}

/**
 * Starts the workflow that delivers a job's events, or wakes it if it is running. That workflow outlives the
 * job's own workflow and is not cancelled with it.
 */
export const startDeliveries = (jobId: string): Promise<void> =>
  startOrWake(deliveryWorkflowIdOf(jobId), () =>
    startChild(deliver, {
      workflowId: deliveryWorkflowIdOf(jobId),
      args: [{ jobId }],
      parentClosePolicy: 'ABANDON',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `Webhook events of ${jobId}`,
    }),
  );
