import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds for which a look-up waits for copies that are being stored. A bucket may not respond at all.
 */
const MAX_LOOK_UP_MS = 2_000;
/** Milliseconds for which a stop waits for them. Whoever stops the process kills it later. */
const MAX_STOP_MS = 5_000;
/** Bytes of the copies that nobody waits for. A bucket that is slow must not fill the memory with pages. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Keeps track of the copies of pages that this process is storing. Several under one name may be stored at
 * once; none of them hides another.
 * @param maxBytes maximum size of the copies that nobody waits for
 */
export function createPendingCopies(maxBytes = MAX_BYTES) {
  const byName = new Map<string, Set<Promise<void>>>();
  let pendingBytes = 0;

  return {
    /**
     * Stores a copy.
     * @param bytes the memory that it takes; 0 if its caller bounds that
     * @param store begins to store it
     * @throws Error if there is no room for so many bytes; what `store` throws
     */
    async add(name: string, bytes: number, store: () => Promise<void>): Promise<void> {
      if (bytes > 0 && pendingBytes + bytes > maxBytes) {
        throw new Error(
          `The copy was left out: ${pendingBytes} bytes of copies are waiting for the blob store, and this one has ${bytes}, but ${maxBytes} are the limit. Look for what slows the blob store down.`,
        );
      }
      pendingBytes += bytes;
      const copy = store();
      const copies = byName.get(name) ?? new Set();
      byName.set(name, copies.add(copy));
      try {
        await copy;
      } finally {
        pendingBytes -= bytes;
        copies.delete(copy);
        if (copies.size === 0) byName.delete(name);
      }
    },

    /**
     * Waits for the copies under a name, but not longer than two seconds. Whoever stores a copy reports its
     * failure; the page is then fetched again.
     * @throws the reason of the signal
     */
    async settled(name: string, signal: AbortSignal): Promise<void> {
      const copies = byName.get(name);
      if (!copies) return;
      await settledWithin(copies, MAX_LOOK_UP_MS, signal);
      signal.throwIfAborted();
    },

    /** Waits for all copies, but not longer than five seconds. */
    async drained(): Promise<void> {
      const copies = [...byName.values()].flatMap((each) => [...each]);
      if (copies.length > 0) await settledWithin(copies, MAX_STOP_MS);
    },
  };
}

/** Waits until all promises have settled, the time is over, or the signal fires. */
async function settledWithin(
  copies: Iterable<Promise<void>>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const either = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const timeout = sleep(ms, undefined, { signal: either }).catch(() => undefined);
  await Promise.race([Promise.allSettled(copies), timeout]);
  ended.abort();
}
