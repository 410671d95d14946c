import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import { type ClipboardMessage, type ClipboardTab, copySelection, pasteText } from './clipboard.ts';
import type { Dialogs } from './dialogs.ts';
import { Input, type InputMessage } from './input.ts';
import { MessageOrder } from './message-order.ts';
import type { LiveTab } from './tabs.ts';

/** Dependencies of {@link TabControl}. */
export interface TabControlOptions {
  tab: LiveTab;
  connection: CdpConnection;
  /** The browser's session of the live view. */
  browser: Promise<Session>;
  dialogs: Dialogs;
}

/** Applies to one tab what viewers do in it, in their order. */
export class TabControl {
  readonly #options: TabControlOptions;
  readonly #input: Input;
  readonly #order = new MessageOrder();

  constructor(options: TabControlOptions) {
    this.#options = options;
    this.#input = new Input(options.tab.session);
  }

  /** @param onCopied called with text that was copied */
  receive(message: InputMessage | ClipboardMessage, onCopied: (text: string) => void): void {
    this.#order.run(() => this.#apply(message, onCopied));
  }

  #apply(message: InputMessage | ClipboardMessage, onCopied: (text: string) => void): void {
    // Input would wait for the end of a dialog, and then be applied where nobody expects it any more.
    if (this.#options.dialogs.isOpenOn(this.#options.tab.session)) return;
    if (isTyped(message) && this.#input.mayMoveFocus) {
      // Chromium passes keys to the frame that has the focus at this moment, so they wait for clicks.
      this.#order.runTask(() => this.#input.handled());
      this.#order.run(() => this.#apply(message, onCopied));
    } else if (isRelease(message) && this.#input.mayDrag) {
      // Chromium drops nothing if the release arrives before the drag has begun.
      this.#order.runTask(() => this.#input.dragBegun());
      this.#order.run(() => this.#apply(message, onCopied));
    } else if (message.type === 'paste') this.#useClipboard((tab) => pasteText(tab, message.text));
    else if (message.type === 'copy') {
      this.#useClipboard(async (tab) => {
        const text = await copySelection(tab);
        if (text) onCopied(text);
      });
    } else this.#input.dispatch(message);
  }

  #useClipboard(use: (tab: ClipboardTab) => Promise<void>): void {
    const { tab, connection, browser } = this.#options;
    const { session, targetId } = tab;
    this.#order.runTask(async () => {
      await this.#input.handled();
      await use({ connection, browser: await browser, session, targetId });
    });
  }
}

const isTyped = ({ type }: InputMessage | ClipboardMessage) =>
  type !== 'mouse' && type !== 'wheel' && type !== 'touch';

const isRelease = (message: InputMessage | ClipboardMessage) =>
  message.type === 'mouse' && message.action === 'up';
