import { setTimeout as sleep } from 'node:timers/promises';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';

/**
 * Stops the navigations of tabs that wait for a site which does not respond. Meanwhile Chromium holds back
 * the commands of all clients to the tab, so that none could connect to the browser.
 * @param options.waitMs how long the sites have until then, in milliseconds
 * @throws Error if the browser ends
 */
export async function stopStalledNavigations(
  connection: CdpConnection,
  { targetIds, waitMs }: { targetIds: string[]; waitMs: number },
): Promise<void> {
  await Promise.all(targetIds.map((targetId) => stopIfStalled(connection, targetId, waitMs)));
}

async function stopIfStalled(connection: CdpConnection, targetId: string, waitMs: number): Promise<void> {
  const { browser } = connection;
  // A tab that has been closed meanwhile needs nothing.
  const attached = await browser
    .send('Target.attachToTarget', { targetId, flatten: true })
    .catch(() => undefined);
  if (!attached) return;
  const session = connection.session(attached.sessionId);
  const responded = session.send('Runtime.evaluate', { expression: '1' }).then(
    () => true,
    () => true,
  );
  const hasResponded = await Promise.race([responded, sleep(waitMs, false, { ref: false })]);
  if (!hasResponded) await session.send('Page.stopLoading').catch(() => undefined);
  await browser.send('Target.detachFromTarget', attached).catch(() => undefined);
}
