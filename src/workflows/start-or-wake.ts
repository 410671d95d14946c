import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import { wake } from './signals.ts';

/**
 * Starts a workflow, or wakes it if it is running. Where it has ended meanwhile, a new one finds all that has been
 * stored. It is not cancelled with the workflow that starts it.
 */
export async function startOrWake(workflowId: string, start: () => Promise<unknown>): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    if (await startUnlessRunning(start)) return;
    try {
      await getExternalWorkflowHandle(workflowId).signal(wake);
    } catch {
      await startUnlessRunning(start);
    }
  });
}

/** @returns false if the workflow is already running */
async function startUnlessRunning(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
