import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/db/client.ts';
import { acquireSlot, endSlotWait, type SlotLease, type SlotRequest } from '../storage/db/teams/slots.ts';
import { CallSlots } from '../system/call-slots.ts';

/** Milliseconds between two tries to take a slot. The pause doubles until it reaches the maximum. */
const MIN_PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;

/**
 * Number of jobs of a team in this process that ask the database for a slot at the same time. Each of these
 * calls locks the team, so thousands of them would leave the database no time for the jobs that have a slot.
 */
const MAX_ASKING = 16;

/** The jobs that ask, by the ids of their teams. */
const asking = new Map<string, CallSlots>();

/**
 * Takes one of a team's slots. It waits for at most two thirds of the timeout; jobs of this process get them
 * about in the order of their arrival.
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
  const tooLate = AbortSignal.timeout(Math.round((timeoutMs * 2) / 3));
  const ends = AbortSignal.any([signal, tooLate]);
  const { teamId } = slot;
  const line = asking.get(teamId) ?? new CallSlots(MAX_ASKING);
  asking.set(teamId, line);
  try {
    const lease = await line.run(() => askForSlot(db, slot, ends), { owner: teamId, signal: ends });
    return { lease, waitedMs: Math.round(performance.now() - start) };
  } catch (error) {
    if (signal.aborted || !tooLate.aborted) throw error;
    throw new ServiceError(
      'CONCURRENCY_QUEUE_TIMEOUT',
      `All ${slot.limit} slots of the team remained in use. Send fewer requests at once, or raise the timeout.`,
    );
  } finally {
    await endSlotWait(db, teamId, slot.holder);
  }
}

/** Asks for a slot until there is one. @throws an `AbortError` if the signal fires */
async function askForSlot(
  db: Database,
  slot: SlotRequest,
  signal: AbortSignal,
): Promise<NonNullable<SlotLease>> {
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    await sleep(pauseMs, undefined, { signal });
    const lease = await acquireSlot(db, slot);
    if (lease) return lease;
  }
}
