import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import type { ControlMessage } from '../../schemas/live-view.ts';
import { type ClipboardMessage, copySelection, pasteText } from './clipboard.ts';
import type { Dialogs } from './dialogs.ts';
import type { FocusedTab } from './focused-frame.ts';
import { Input, type InputMessage } from './input.ts';
import { MessageOrder } from './message-order.ts';
import { type PickerListeners, Pickers } from './pickers.ts';
import type { LiveTab } from './tabs.ts';

/** Dependencies of {@link TabControl}. */
export interface TabControlOptions {
  tab: LiveTab;
  connection: CdpConnection;
  /** The browser's session of the live view. */
  browser: Promise<Session>;
  dialogs: Dialogs;
  /** Hear of lists that the page opens. */
  pickers: PickerListeners;
}

/** Applies to one tab what viewers do in it, in their order. */
export class TabControl {
  readonly #options: TabControlOptions;
  readonly #input: Input;
  readonly #order = new MessageOrder();
  readonly #pickers: Pickers;

  constructor(options: TabControlOptions) {
    this.#options = options;
    this.#pickers = new Pickers(options.pickers);
    this.#input = new Input(options.tab.session);
  }

  /** @param onCopied called with text that was copied */
  receive(message: InputMessage | ClipboardMessage, onCopied: (text: string) => void): void {
    this.#order.run(() => this.#apply(message, onCopied));
  }

  /** Chooses in a list that the page has opened. */
  pick(message: Extract<ControlMessage, { type: 'pick' }>): void {
    this.#order.run(() => this.#useTab((tab) => this.#pickers.pick(tab, message)));
  }

  /** Shows no lists any more. */
  close(): void {
    this.#pickers.close();
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
    } else if (message.type === 'paste') this.#useTab((tab) => pasteText(tab, message.text));
    else if (message.type === 'copy') {
      this.#useTab(async (tab) => {
        const text = await copySelection(tab);
        if (text) onCopied(text);
      });
    } else {
      this.#input.dispatch(message);
      const isFollowed = this.#pickers.isOpen || this.#pickers.hasSuggestions;
      if (mayOpenPicker(message) || (isFollowed && isTyped(message))) void this.#lookForPicker();
    }
  }

  async #lookForPicker(): Promise<void> {
    await this.#input.handled();
    // The browser may have ended.
    const tab = await this.#focusedTab().catch(() => undefined);
    if (tab) await this.#pickers.look(tab);
  }

  #useTab(use: (tab: FocusedTab) => Promise<void>): void {
    this.#order.runTask(async () => {
      await this.#input.handled();
      await use(await this.#focusedTab());
    });
  }

  async #focusedTab(): Promise<FocusedTab> {
    const { tab, connection, browser } = this.#options;
    return { connection, browser: await browser, session: tab.session, targetId: tab.targetId };
  }
}

const isTyped = ({ type }: InputMessage | ClipboardMessage) =>
  type !== 'mouse' && type !== 'wheel' && type !== 'touch';

const isRelease = (message: InputMessage | ClipboardMessage) =>
  message.type === 'mouse' && message.action === 'up';

/** Keys that open a list or a chooser which has the focus, or move the focus to a field. */
const OPENING_KEYS = new Set([' ', 'Enter', 'Tab', 'ArrowDown', 'ArrowUp', 'F4']);

const mayOpenPicker = (message: InputMessage) =>
  isRelease(message) ||
  (message.type === 'touch' && message.action === 'end') ||
  (message.type === 'key' && OPENING_KEYS.has(message.key));
