import { describe, it } from 'vitest';

/**
 * Whether this run checks every case of the long corpora (`npm run test:full`) or a fixed sample of them
 * (`npm test`).
 */
export const IS_FULL_RUN = process.env.WINNOW_TEST_FULL === '1';

/**
 * Tests that only a full run has: those that cost a restart of the service or much CPU, next to cheaper ones
 * of their kind.
 */
export const describeInFullRun = describe.runIf(IS_FULL_RUN);
export const itInFullRun = it.runIf(IS_FULL_RUN);

/**
 * The cases of a corpus that this run checks: all of them in a full run, otherwise every n-th.
 * @param offset index of the first case of the sample; different offsets let several tests share one corpus
 */
export function sampleOf<const T>(cases: readonly T[], every: number, offset = 0): readonly T[] {
  return IS_FULL_RUN ? cases : cases.filter((_case, index) => index % every === offset % every);
}

/**
 * Parameters of fast-check for a property: random inputs in a full run, a fixed tenth of their number
 * otherwise. A failure names its seed.
 */
export function propertyRuns(fullRuns: number): { numRuns: number; seed?: number } {
  return IS_FULL_RUN ? { numRuns: fullRuns } : { numRuns: Math.ceil(fullRuns / 10), seed: 1 };
}
