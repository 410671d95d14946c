import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a number of milliseconds, or until the signal fires. It never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // The timer rejects only when the signal fires.
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
