import type { Session } from '../../fetch/browser/chromium/cdp.ts';
import type { DialogSummary } from '../../schemas/live-view.ts';

/** Messages that are longer are cut, because a page may choose any length. */
const MAX_MESSAGE_LENGTH = 4_000;
/**
 * How long another protocol client has to answer a dialog, and how long a dialog stays open if there is none.
 */
const CLIENT_GRACE_MS = 30_000;
const GRACE_MS = 1_000;

/** Callbacks of {@link Dialogs}. */
export interface DialogListeners {
  onOpened(dialog: DialogSummary): void;
  onClosed(id: number): void;
  /** Whether anybody else could answer, such as a program of the user that is connected to the browser. */
  hasOtherClients(): boolean;
}

interface OpenDialog {
  summary: DialogSummary;
  session: Session;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * The open dialogs of all tabs (alert, confirm, prompt, beforeunload). A page does nothing while one is open,
 * so it is closed after a while if there is no viewer who could answer it.
 */
export class Dialogs {
  readonly #listeners: DialogListeners;
  readonly #dialogs = new Map<number, OpenDialog>();
  #lastId = 0;
  #hasController = false;

  constructor(listeners: DialogListeners) {
    this.#listeners = listeners;
  }

  /** All open dialogs. */
  all(): DialogSummary[] {
    return [...this.#dialogs.values()].map(({ summary }) => summary);
  }

  /** Whether a dialog keeps the page of this session from reacting to input. */
  isOpenOn(session: Session): boolean {
    return [...this.#dialogs.values()].some((each) => each.session === session);
  }

  /** Watches the dialogs of a tab. */
  watch(session: Session): void {
    session.on('Page.javascriptDialogOpening', ({ type, message, defaultPrompt, url }) => {
      const id = ++this.#lastId;
      const summary = {
        id,
        kind: type,
        message: message.slice(0, MAX_MESSAGE_LENGTH),
        defaultPrompt: defaultPrompt ?? '',
        url: url.slice(0, MAX_MESSAGE_LENGTH),
      };
      const dialog = { summary, session };
      this.#dialogs.set(id, dialog);
      this.#closeIfUnanswered(dialog);
      this.#listeners.onOpened(summary);
    });
    session.on('Page.javascriptDialogClosed', () => this.forget(session));
    // The tab may have been closed meanwhile.
    session.send('Page.enable').catch(() => undefined);
  }

  /** Removes the dialogs of a tab, which has closed them or has been closed. */
  forget(session: Session): void {
    for (const [id, dialog] of this.#dialogs) {
      if (dialog.session !== session) continue;
      clearTimeout(dialog.timer);
      this.#dialogs.delete(id);
      this.#listeners.onClosed(id);
    }
  }

  /** Answers a dialog, unless it has been closed. */
  answer(id: number, accept: boolean, promptText?: string): void {
    const dialog = this.#dialogs.get(id);
    // Somebody else may have answered it meanwhile.
    dialog?.session
      .send('Page.handleJavaScriptDialog', { accept, ...(promptText !== undefined && { promptText }) })
      .catch(() => undefined);
  }

  /** @param hasController whether there is a viewer who may answer dialogs */
  setController(hasController: boolean): void {
    this.#hasController = hasController;
    for (const dialog of this.#dialogs.values()) this.#closeIfUnanswered(dialog);
  }

  /** Answers no more dialogs. */
  close(): void {
    for (const { timer } of this.#dialogs.values()) clearTimeout(timer);
    this.#dialogs.clear();
  }

  #closeIfUnanswered(dialog: OpenDialog): void {
    clearTimeout(dialog.timer);
    if (this.#hasController) return;
    const { id, kind } = dialog.summary;
    const graceMs = this.#listeners.hasOtherClients() ? CLIENT_GRACE_MS : GRACE_MS;
    // Leaving a page is what somebody asked for; everything else is declined.
    dialog.timer = setTimeout(() => this.answer(id, kind === 'beforeunload'), graceMs);
  }
}
