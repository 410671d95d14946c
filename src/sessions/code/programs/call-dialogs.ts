import type { EventEmitter } from 'node:events';
import type { BrowserContext, Dialog } from 'playwright';

/**
 * The dialogs of pages that the code does not handle itself. While code runs, they are closed at once, as
 * Playwright does it where nobody listens for them. Between calls they stay open for viewers of the session,
 * and those that are then still open are closed when the next call begins, because the page does nothing
 * before.
 */
export class CallDialogs {
  readonly #watched = new WeakSet<BrowserContext>();
  readonly #open = new Set<Dialog>();
  #isCallRunning = false;

  /** @param contexts all contexts that there are now */
  begin(contexts: BrowserContext[]): void {
    this.#isCallRunning = true;
    for (const context of contexts) this.#watch(context);
    for (const dialog of this.#open) close(dialog);
    this.#open.clear();
  }

  /** The call has ended. Dialogs that open from now on stay open until the next one begins. */
  end(): void {
    this.#isCallRunning = false;
  }

  #watch(context: BrowserContext): void {
    if (this.#watched.has(context)) return;
    this.#watched.add(context);
    context.on('dialog', (dialog) => {
      // One of them is this listener.
      if (countListeners(context) + countListeners(dialog.page()) > 1) return;
      if (this.#isCallRunning) close(dialog);
      else this.#open.add(dialog);
    });
  }
}

/** Playwright's types leave out this method of event emitters. */
const countListeners = (emitter: object | null) =>
  (emitter as Pick<EventEmitter, 'listenerCount'> | null)?.listenerCount('dialog') ?? 0;

/** Declines a dialog, but lets the page be left. */
function close(dialog: Dialog): void {
  const closing = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
  // A viewer may have answered it, or the page may be gone.
  closing.catch(() => undefined);
}
