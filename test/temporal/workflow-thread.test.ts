import { DefaultLogger } from '@temporalio/worker';
import {
  ThreadedVMWorkflowCreator,
  WorkerThreadClient,
} from '@temporalio/worker/lib/workflow/threaded-vm.js';
import { afterEach, expect, it, vi } from 'vitest';
import { runWorkflowsWithoutTimeLimit } from '../../src/temporal/workflow-thread.ts';

afterEach(() => vi.restoreAllMocks());

it('the workflow thread gets the bundle, and no time limit for each call into it', async () => {
  const send = vi.spyOn(WorkerThreadClient.prototype, 'send').mockResolvedValueOnce(undefined);
  runWorkflowsWithoutTimeLimit();
  const creator = await ThreadedVMWorkflowCreator.create({
    workflowBundle: {
      code: '',
      filename: 'bundle.js',
      sourceMap: { version: 3, sources: [], names: [], mappings: '', file: '' },
    },
    threadPoolSize: 1,
    isolateExecutionTimeoutMs: 5_000,
    reuseV8Context: true,
    registeredActivityNames: new Set(),
    logger: new DefaultLogger('WARN'),
  });
  const [first] = send.mock.calls;
  await creator.destroy();
  expect(first?.[0]).toMatchObject({ type: 'init', workflowBundle: { filename: 'bundle.js' } });
  expect(first?.[0]).not.toHaveProperty('isolateExecutionTimeoutMs', 5_000);
});
