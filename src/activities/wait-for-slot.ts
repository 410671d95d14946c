import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import { acquireSlot, endSlotWait, type SlotLease, type SlotRequest } from '../db/teams/slots.ts';
import { ServiceError } from '../errors.ts';

/** Milliseconds between two tries to take a slot. The pause doubles until it reaches the maximum. */
const MIN_PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;

/**
 * Takes one of a team's slots. It waits for at most two thirds of the timeout.
 * @returns the lease, and the milliseconds that it waited; `undefined` if it did not have to wait
 * @throws ServiceError `CONCURRENCY_QUEUE_TIMEOUT` if no slot became free in time
 */
export async function waitForSlot(
  db: Database,
  slot: SlotRequest,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<{ lease: SlotLease; waitedMs: number | undefined }> {
  const first = await acquireSlot(db, slot);
  if (first) return { lease: first, waitedMs: undefined };
  const start = performance.now();
  try {
    for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await sleep(pauseMs, undefined, { signal });
      const lease = await acquireSlot(db, slot);
      if (lease) return { lease, waitedMs: Math.round(performance.now() - start) };
      if (performance.now() - start > (timeoutMs * 2) / 3) {
        throw new ServiceError(
          'CONCURRENCY_QUEUE_TIMEOUT',
          `All ${slot.limit} slots of the team remained in use. Send fewer requests at once, or raise the timeout.`,
        );
      }
    }
  } finally {
    await endSlotWait(db, slot.teamId, slot.holder);
  }
}
