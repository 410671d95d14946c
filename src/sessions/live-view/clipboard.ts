import { z } from 'zod';
import { pageFunction } from '../../content/open-page/page-function.ts';
import { evaluateIsolated } from '../../fetch/browser/dom/isolated-world.ts';
import { type ControlMessage, MAX_PASTE_LENGTH } from '../../schemas/live-view.ts';
import { type FocusedTab, inFocusedFrame } from './focused-frame.ts';

/** Messages of a viewer that use the clipboard. */
export type ClipboardMessage = Extract<ControlMessage, { type: 'copy' | 'paste' }>;

/**
 * Copies the selection of the tab, as the page's own handler for `copy` changes it.
 * @returns the text, maybe empty
 */
export function copySelection(tab: FocusedTab): Promise<string> {
  return inFocusedFrame(tab, (frame) => evaluateIsolated(frame, copyInPage, MAX_PASTE_LENGTH));
}

/** Pastes text where the tab has its focus: the page's handler for `paste` sees it first. */
export async function pasteText(tab: FocusedTab, text: string): Promise<void> {
  await inFocusedFrame(tab, (frame) => evaluateIsolated(frame, pasteInPage, text));
}

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
