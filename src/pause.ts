import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; a signal ends it early. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // The only failure is that it was ended.
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
