import type { PageElement } from '../../content/open-page/page-dom.ts';
import type { PageCode } from '../../content/open-page/page-function.ts';
import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import { type FrameTarget, findFrameIdIsolated } from '../../fetch/browser/dom/isolated-world.ts';

/** How deep frames may be nested to be found. */
const MAX_FRAME_DEPTH = 10;

/** A tab in which the frame with the focus is used. */
export interface FocusedTab {
  connection: CdpConnection;
  /** The session that other targets are attached from. */
  browser: Session;
  session: Session;
  targetId: string;
}

/** Calls `use` with the frame that has the focus. A frame of another site has a target of its own. */
export async function inFocusedFrame<Result>(
  { connection, browser, session, targetId }: FocusedTab,
  use: (frame: FrameTarget) => Promise<Result>,
): Promise<Result> {
  const attached: string[] = [];
  try {
    let frame: FrameTarget = { session, frameId: targetId };
    for (let depth = 0; depth < MAX_FRAME_DEPTH; depth++) {
      const frameId = await findFrameIdIsolated(frame, findFocusedFrame, undefined);
      if (!frameId) break;
      const sessionId = await attachToFrame(browser, frameId);
      if (sessionId) attached.push(sessionId);
      frame = { session: sessionId ? connection.session(sessionId) : frame.session, frameId };
    }
    return await use(frame);
  } finally {
    // A frame that has gone is detached already.
    for (const sessionId of attached)
      browser.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
  }
}

/**
 * @returns the session; `undefined` when the frame has no target, because it is in the process of its parent
 */
async function attachToFrame(browser: Session, frameId: string): Promise<string | undefined> {
  const { targetInfos } = await browser.send('Target.getTargets', { filter: [{ type: 'iframe' }] });
  if (!targetInfos.some(({ targetId }) => targetId === frameId)) return undefined;
  return (await browser.send('Target.attachToTarget', { targetId: frameId, flatten: true })).sessionId;
}

/** Runs in the page: finds the frame that has the focus, if any. */
const findFocusedFrame: PageCode<undefined, PageElement | undefined> = (_, dom) => {
  const element = dom.focusedElement();
  return element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement ? element : undefined;
};
