import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 2_000;
/** A renewal each few beats keeps a lease well ahead of its end. */
const BEATS_PER_RENEWAL = 4;

/**
 * Tells Temporal every two seconds that this process lives.
 * @param renew extends what the activity holds by lease; called every eight seconds
 */
export function startHeartbeat(renew?: () => Promise<void>): Disposable {
  const context = Context.current();
  let beats = 0;
  const timer = setInterval(() => {
    context.heartbeat();
    if (++beats % BEATS_PER_RENEWAL !== 0) return;
    renew?.().catch((error) => context.log.warn('lease not renewed', { error: String(error) }));
  }, HEARTBEAT_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
