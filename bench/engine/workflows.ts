import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '10s',
});

/** Runs one activity that does nothing, to measure the cost of Temporal alone. */
export async function idle(): Promise<void> {
  await nothing();
}
