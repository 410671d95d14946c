import { Context } from '@temporalio/activity';

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
  const renewal = renew && startRenewal(renew);
  const timer = setInterval(() => context.heartbeat(details?.()), HEARTBEAT_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      renewal?.[Symbol.dispose]();
    },
  };
}

/** Extends leases every eight seconds, for work that may outlive the activity that started it. */
export function startRenewal(renew: () => Promise<void>): Disposable {
  const { log } = Context.current();
  const timer = setInterval(() => {
    renew().catch((error) => log.warn('a lease could not be renewed', { error: String(error) }));
  }, RENEWAL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
