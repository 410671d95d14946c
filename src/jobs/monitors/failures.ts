import type { MonitorPageStatus } from '../../schemas/monitor.ts';
import type { EarlierFailure, NewCheckPage } from '../../storage/db/monitors/pages.ts';

/**
 * Decides what is told of a page that can or cannot be read. A page that fails is told once, after as many failed
 * checks in a row as its target says, and every page that was read is told.
 * @param earlier what the check before found, if it could not read the page
 * @param threshold failed checks in a row after which the failure is told
 */
export function followFailures(
  status: MonitorPageStatus,
  earlier: EarlierFailure | undefined,
  threshold: number,
): Pick<NewCheckPage, 'failures' | 'isFailureTold' | 'isTold'> {
  const wasTold = earlier?.isTold ?? false;
  if (status !== 'error') return { failures: 0, isFailureTold: wasTold, isTold: true };
  const failures = (earlier?.failures ?? 0) + 1;
  const isFailureTold = wasTold || failures >= threshold;
  return { failures, isFailureTold, isTold: isFailureTold && !wasTold };
}
