import { setTimeout as sleep } from 'node:timers/promises';
import type { CdpConnection, Session } from './chromium/cdp.ts';

/** The event that says why follows the one of the page at once. */
const REASON_DELAY_MS = 200;

/**
 * A page whose process was ended from outside: by `chromium/page-memory.ts`, or by the kernel of a machine
 * that has no memory left.
 */
export class PageEnded extends Error {
  override readonly name = 'PageEnded';
}

/**
 * Rejects when the process of a page ends.
 * @throws PageEnded if it took too much memory
 */
export function rejectWhenCrashed(
  { browser }: CdpConnection,
  targetId: string,
  session: Session,
): Promise<never> {
  return new Promise((_, reject) => {
    session.once('Inspector.targetCrashed', () => {
      const timer = new AbortController();
      const onCrashed = (crash: { targetId: string; status: string }) => {
        if (crash.targetId !== targetId) return;
        timer.abort();
        if (crash.status === 'killed' || crash.status === 'oom')
          reject(new PageEnded('the page took too much memory'));
      };
      browser.on('Target.targetCrashed', onCrashed);
      sleep(REASON_DELAY_MS, undefined, { signal: timer.signal, ref: false })
        // It was aborted when the reason had come.
        .catch(() => undefined)
        .finally(() => {
          browser.off('Target.targetCrashed', onCrashed);
          reject(new Error('the tab crashed'));
        });
    });
  });
}
