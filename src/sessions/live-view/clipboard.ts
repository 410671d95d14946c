import { z } from 'zod';
import type { PageElement } from '../../content/open-page/page-dom.ts';
import { type PageCode, pageFunction } from '../../content/open-page/page-function.ts';
import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import {
  evaluateIsolated,
  type FrameTarget,
  findFrameIdIsolated,
} from '../../fetch/browser/dom/isolated-world.ts';
import { type ControlMessage, MAX_PASTE_LENGTH } from '../../schemas/live-view.ts';

/** How deep frames may be nested to be found. */
const MAX_FRAME_DEPTH = 10;

/** Messages of a viewer that use the clipboard. */
export type ClipboardMessage = Extract<ControlMessage, { type: 'copy' | 'paste' }>;

/** A tab whose clipboard is used. */
export interface ClipboardTab {
  connection: CdpConnection;
  /** The session that other targets are attached from. */
  browser: Session;
  session: Session;
  targetId: string;
}

/**
 * Copies the selection of the tab, as the page's own handler for `copy` changes it.
 * @returns the text, maybe empty
 */
export function copySelection(tab: ClipboardTab): Promise<string> {
  return inFocusedFrame(tab, (frame) => evaluateIsolated(frame, copyInPage, MAX_PASTE_LENGTH));
}

/** Pastes text where the tab has its focus: the page's handler for `paste` sees it first. */
export async function pasteText(tab: ClipboardTab, text: string): Promise<void> {
  await inFocusedFrame(tab, (frame) => evaluateIsolated(frame, pasteInPage, text));
}

/** Calls `use` with the frame that has the focus. A frame of another site has a target of its own. */
async function inFocusedFrame<Result>(
  { connection, browser, session, targetId }: ClipboardTab,
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

/** Runs in the page. */
const copyInPage = pageFunction(z.string().max(MAX_PASTE_LENGTH), (maxLength: number, dom) => {
  const element = dom.focusedElement();
  let text = String(getSelection() ?? '');
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) {
    const { selectionStart, selectionEnd, type } = element;
    // Passwords are not copied. Some types of fields do not say what is selected.
    if (type === 'password') text = '';
    else if (selectionStart !== null) text = element.value.slice(selectionStart, selectionEnd ?? undefined);
  }
  const onCopy = (event: ClipboardEvent) => {
    text = event.clipboardData?.getData('text/plain') || text;
  };
  // The listener is the last one, after those of the page.
  addEventListener('copy', onCopy);
  dom.execute('copy');
  removeEventListener('copy', onCopy);
  return text.slice(0, maxLength);
});

/** Runs in the page. */
const pasteInPage = pageFunction(z.void(), (text: string, dom) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
  const isUnhandled = dom.dispatch(dom.focusedElement() ?? dom.document(), new ClipboardEvent('paste', init));
  if (isUnhandled) dom.execute('insertText', text);
});
