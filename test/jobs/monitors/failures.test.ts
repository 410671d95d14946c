import { describe, expect, it } from 'vitest';
import { followFailures } from '../../../src/jobs/monitors/failures.ts';
import type { MonitorPageStatus } from '../../../src/schemas/monitor.ts';
import type { EarlierFailure } from '../../../src/storage/db/monitors/pages.ts';

/** What is told of a page, check after check: `failed`, `recovered`, another outcome, or nothing. */
function tell(outcomes: MonitorPageStatus[], thresholds: number | number[]): string[] {
  let earlier: EarlierFailure | undefined;
  return outcomes.map((status, index) => {
    const threshold = typeof thresholds === 'number' ? thresholds : (thresholds[index] ?? 1);
    const { failures, isFailureTold, isTold } = followFailures(status, earlier, threshold);
    earlier = status === 'error' ? { failures, isTold: isFailureTold } : undefined;
    if (!isTold) return '';
    if (status === 'error') return `failed ${failures}`;
    return isFailureTold ? 'recovered' : status;
  });
}

describe('a page that cannot be read', () => {
  it('is told once after as many failed checks as wanted, and once when it is read again', () => {
    expect(tell(['same', 'error', 'error', 'error', 'same', 'changed'], 2)).toEqual([
      ...['same', '', 'failed 2', '', 'recovered', 'changed'],
    ]);
  });

  it('is not told if it is read again before', () => {
    expect(tell(['error', 'same', 'error', 'error', 'changed'], 3)).toEqual(['', 'same', '', '', 'changed']);
  });

  it('is told at once with a threshold of one, and again for a new failure', () => {
    expect(tell(['error', 'error', 'new', 'error'], 1)).toEqual(['failed 1', '', 'recovered', 'failed 1']);
  });

  it('is told when the threshold becomes lower', () => {
    expect(tell(['error', 'error', 'error', 'error'], [5, 5, 2, 2])).toEqual(['', '', 'failed 3', '']);
  });
});
