import { Context } from '@temporalio/activity';
import { every } from '../system/every.ts';

const HEARTBEAT_MS = 2_000;
/** Leases are renewed well before they expire. */
const RENEWAL_MS = 8_000;

/**
 * Sends Temporal a heartbeat every two seconds, which shows that this process is alive.
 * @param renew extends the leases that the activity holds; called every eight seconds
 * @param details returns what the Temporal UI shows of the activity while it runs
 */
export function startHeartbeat(renew?: () => Promise<void>, details?: () => unknown): Disposable {
  const context = Context.current();
  const renewal =
    renew && startRenewal(renew, (error) => context.log.warn(RENEWAL_FAILED, { error: String(error) }));
  const timer = every(
    HEARTBEAT_MS,
    () => context.heartbeat(details?.()),
    (error) => context.log.warn('a heartbeat could not be sent', { error: String(error) }),
  );
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      renewal?.[Symbol.dispose]();
    },
  };
}

/** The text of the log line about a lease that was not extended. */
export const RENEWAL_FAILED = 'a lease could not be renewed';

/**
 * Extends leases every eight seconds, for work that may outlive the activity that started it.
 * @param onFault called when that fails; it is tried again
 */
export function startRenewal(renew: () => Promise<void>, onFault: (error: unknown) => void): Disposable {
  const timer = every(RENEWAL_MS, renew, onFault);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
