import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { deliveries } from './activities.ts';
import { wake } from './signals.ts';

/** What a delivery workflow is given; everything else stands in the database. */
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
    setCurrentDetails(`Events still to be delivered: ${open}`);
    // Whoever wakes it has written something down that this report may not know.
    if (woken !== seen) continue;
    if (jobEnded && open === 0) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliver>({ jobId });
    // A job that runs writes events at any time: the activity looks out for them.
    if (jobEnded && nextDueInMs) await condition(() => woken !== seen, nextDueInMs);
  }
}

/**
 * Starts the delivery of a job's events beside the job, or wakes one that is under way. It outlives the job, and is not
 * cancelled with it.
 */
export async function startDeliveries(jobId: string): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    if (await begin(jobId)) return;
    try {
      await getExternalWorkflowHandle(workflowIdOf(jobId)).signal(wake);
    } catch {
      // It ended in between. Who begins now finds everything that is written down by now.
      await begin(jobId);
    }
  });
}

const workflowIdOf = (jobId: string) => `webhooks/${jobId}`;

/** @returns false where the job has a delivery workflow that runs */
async function begin(jobId: string): Promise<boolean> {
  try {
    await startChild(deliver, {
      workflowId: workflowIdOf(jobId),
      args: [{ jobId }],
      parentClosePolicy: 'ABANDON',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `Webhook events of ${jobId}`,
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
