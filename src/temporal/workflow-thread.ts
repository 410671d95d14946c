import {
  ThreadedVMWorkflowCreator,
  type ThreadedVMWorkflowCreatorOptions,
} from '@temporalio/worker/lib/workflow/threaded-vm.js';

const createWithTimeLimit = ThreadedVMWorkflowCreator.create;

/**
 * Makes Temporal's workers created from now on run workflow code without a time limit of its own. The library
 * limits each of the dozen calls into the sandbox that a short workflow takes to five seconds, for which Node
 * starts and ends an operating system thread each time. That took more CPU time than the workflow itself. No
 * option of the library leaves the limit out. Workflow code that loops for ever would now occupy the workflow
 * thread of its worker until the process is restarted; its workflow tasks time out after ten seconds, and
 * other workers take those of all other workflows.
 */
export function runWorkflowsWithoutTimeLimit(): void {
  ThreadedVMWorkflowCreator.create = (options) => {
    const unlimited: Partial<ThreadedVMWorkflowCreatorOptions> = { ...options };
    delete unlimited.isolateExecutionTimeoutMs;
    // The thread passes the limit to `vm.Script.runInContext` only, for which it is optional.
    return createWithTimeLimit.call(ThreadedVMWorkflowCreator, unlimited as ThreadedVMWorkflowCreatorOptions);
  };
}
