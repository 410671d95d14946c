/** A message that takes longer than this, in milliseconds, is one that others notice. */
const NOTICED_MS = 50;
/** How many times longer its sender then waits. */
const WAITS = 4;

/**
 * How long nothing more should be read from a sender whose last message has kept this process busy, so that
 * it takes a fifth of the time at most and others share the rest.
 * @param busyMs how long the message took, in milliseconds
 * @returns milliseconds; 0 for a message that nobody noticed
 */
export const readPauseAfter = (busyMs: number): number => (busyMs < NOTICED_MS ? 0 : WAITS * busyMs);
