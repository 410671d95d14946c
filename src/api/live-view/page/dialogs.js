/** @import { DialogSummary } from '../../../schemas/live-view.ts' */
/** @import { Connection } from './connection.js' */
import { element } from './elements.js';

/** Shows the dialogs of the remote pages, one after the other. Viewers with control answer them. */
export class Dialogs {
  #box = element('dialog', HTMLDialogElement);
  #source = element('dialog-source', HTMLElement);
  #message = element('dialog-message', HTMLElement);
  #input = element('dialog-input', HTMLInputElement);
  #buttons = element('dialog-buttons', HTMLElement);
  #accept = element('dialog-accept', HTMLButtonElement);
  #cancel = element('dialog-cancel', HTMLButtonElement);
  /** @type {DialogSummary[]} */
  #open = [];
  /** @type {DialogSummary | undefined} */
  #shown;
  #connection;

  /**
   * @param {Connection} connection
   * @param {boolean} mayControl
   */
  constructor(connection, mayControl) {
    this.#connection = connection;
    this.#buttons.hidden = !mayControl;
    this.#input.disabled = !mayControl;
    this.#accept.onclick = () => this.#answer(true);
    this.#cancel.onclick = () => this.#answer(false);
    this.#box.addEventListener('cancel', (event) => {
      event.preventDefault();
      if (mayControl) this.#answer(false);
    });
    this.#box.addEventListener('submit', (event) => {
      event.preventDefault();
      if (mayControl) this.#answer(true);
    });
  }

  /** @param {DialogSummary} dialog */
  add(dialog) {
    this.#open.push(dialog);
    this.#show();
  }

  /** @param {number} id */
  remove(id) {
    this.#open = this.#open.filter((dialog) => dialog.id !== id);
    this.#show();
  }

  /** The host sends all open dialogs again after the connection was lost. */
  clear() {
    this.#open = [];
    this.#show();
  }

  #show() {
    const dialog = this.#open[0];
    if (dialog === this.#shown) return;
    this.#shown = dialog;
    this.#box.close();
    if (!dialog) return;
    const { kind, message, defaultPrompt, url } = dialog;
    this.#source.textContent = `${url} says`;
    this.#message.textContent =
      kind === 'beforeunload' ? 'Leave this page? Changes that you made may not be saved.' : message;
    this.#input.hidden = kind !== 'prompt';
    this.#input.value = defaultPrompt;
    this.#cancel.hidden = kind === 'alert';
    this.#cancel.textContent = kind === 'beforeunload' ? 'Stay' : 'Cancel';
    this.#accept.textContent = kind === 'beforeunload' ? 'Leave' : 'OK';
    this.#box.showModal();
  }

  /** @param {boolean} accept */
  #answer(accept) {
    const dialog = this.#shown;
    if (!dialog) return;
    const promptText = this.#input.value.slice(0, 10_000);
    this.#connection.send({
      type: 'dialog',
      id: dialog.id,
      accept,
      ...(dialog.kind === 'prompt' && accept && { promptText }),
    });
  }
}
