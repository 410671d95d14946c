import {
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { mailWorkflowIdOf } from '../job-kinds.ts';
import { mailSteps } from './activities.ts';
import { wake } from './signals.ts';
import { startOrWake } from './start-or-wake.ts';

/** The input of the workflow that sends mails. Everything else is in the database. */
export interface MailsInput {
  monitorId: string;
}

/** Sends the mails of a monitor when they are due, until there are none. */
export async function mails({ monitorId }: MailsInput): Promise<void> {
  let woken = 0;
  setHandler(wake, () => {
    woken++;
  });
  for (;;) {
    const seen = woken;
    const { open, nextDueInMs } = await mailSteps.sendMails(monitorId);
    setCurrentDetails(`Mails that are not sent yet: ${open}`);
    // The workflow was woken after something was stored that this report may not include yet.
    if (woken !== seen) continue;
    if (nextDueInMs === undefined) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof mails>({ monitorId });
    if (nextDueInMs > 0) await condition(() => woken !== seen, nextDueInMs);
  }
}

/** Starts the workflow that sends the mails of a monitor, or wakes it if it is running. */
export const startMails = (monitorId: string): Promise<void> =>
  startOrWake(mailWorkflowIdOf(monitorId), () =>
    startChild(mails, {
      workflowId: mailWorkflowIdOf(monitorId),
      args: [{ monitorId }],
      parentClosePolicy: 'ABANDON',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `Mails of the monitor ${monitorId}`,
    }),
  );
