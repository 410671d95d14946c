import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 2_000;
/** Every fourth heartbeat renews the leases, i.e. every eight seconds, which is well before they expire. */
const BEATS_PER_RENEWAL = 4;

/**
 * Sends Temporal a heartbeat every two seconds, which shows that this process is alive.
 * @param renew extends the leases that the activity holds; called every eight seconds
 * @param details returns what the Temporal UI shows of the activity while it runs
 */
export function startHeartbeat(renew?: () => Promise<void>, details?: () => unknown): Disposable {
  const context = Context.current();
  let beats = 0;
  const timer = setInterval(() => {
    context.heartbeat(details?.());
    if (++beats % BEATS_PER_RENEWAL !== 0) return;
    renew?.().catch((error) => context.log.warn('a lease could not be renewed', { error: String(error) }));
  }, HEARTBEAT_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
