import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '10s',
});

/** One activity that does nothing: what the engine alone costs. */
export async function idle(): Promise<void> {
  await nothing();
}
