const MINUTE_MS = 60_000;
const FIRST_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
const LATER_MS = 60 * MINUTE_MS;
const LONGEST_MS = 24 * 60 * MINUTE_MS;

/**
 * Calculates when a delivery is tried again: after 1, 5 and 15 minutes, then every hour, as long as all
 * retries lie within 24 hours.
 * @param attempts number of attempts made so far, at least 1
 * @returns milliseconds until the next attempt; `undefined` if there is none
 */
export function retryInMs(attempts: number): number | undefined {
  const first = FIRST_MS[attempts - 1];
  if (first !== undefined) return first;
  const spentMs = FIRST_MS.reduce((sum, ms) => sum + ms, 0);
  const later = attempts - FIRST_MS.length;
  return spentMs + later * LATER_MS <= LONGEST_MS ? LATER_MS : undefined;
}
