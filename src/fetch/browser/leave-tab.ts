import type { CdpConnection, Session } from './chromium/cdp.ts';
import { type Appearance, emulateDevice } from './device-emulation.ts';
import { attachFrames } from './frame-sessions.ts';
import type { Tab } from './tab.ts';

/**
 * Leaves the tab of a visit to other clients of its browser: nothing that the visit has set up goes on in it,
 * except that the page still sees the same visitor. The tab stays attached for that, because emulation ends
 * with its session.
 */
export async function leaveTab(tab: Tab, appearance: Appearance): Promise<void> {
  const { connection } = tab.context;
  const leaving = tab.sessions().map((session) =>
    leaveFrame(connection, session, appearance).catch((error) => {
      // A frame may have been removed meanwhile.
      if (session === tab.session) throw error;
    }),
  );
  await Promise.all(leaving);
  // The window has the same size, and viewers can change it.
  if (!appearance.mobile) await tab.session.send('Emulation.clearDeviceMetricsOverride');
}

async function leaveFrame(
  connection: CdpConnection,
  session: Session,
  appearance: Appearance,
): Promise<void> {
  connection.removeListeners(session);
  // Frames that are opened from now on see the same visitor too.
  const { prepareFrames } = attachFrames(connection, session, async () => undefined);
  await Promise.all([
    prepareFrames((frame) => emulateDevice(frame, appearance)),
    session.send('Fetch.disable'),
    session.send('Network.disable'),
    session.send('Page.disable'),
  ]);
}
