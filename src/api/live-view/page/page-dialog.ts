import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import type { DialogSummary } from '../../../schemas/live-view.ts';
import type { Actions } from './bar.ts';
import { dialogs, settings } from './state.ts';

const MAX_TEXT_LENGTH = 10_000;

/** Shows the dialogs of the remote pages, one after the other. Viewers with control answer them. */
export function PageDialog({ actions }: { actions: Actions }) {
  const dialog = dialogs.value[0];
  return dialog && html`<${OpenDialog} key=${dialog.id} dialog=${dialog} actions=${actions} />`;
}

function OpenDialog({ dialog, actions }: { dialog: DialogSummary; actions: Actions }) {
  const { id, kind, message, defaultPrompt, url } = dialog;
  const { mayControl } = settings;
  const box = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current?.showModal();
    return () => actions.focusPage();
  }, []);
  const answer = (accept: boolean) => {
    const promptText = (input.current?.value ?? '').slice(0, MAX_TEXT_LENGTH);
    const hasText = kind === 'prompt' && accept;
    actions.send({ type: 'dialog', id, accept, ...(hasText && { promptText }) });
  };
  const decide = (event: Event, accept: boolean) => {
    event.preventDefault();
    if (mayControl) answer(accept);
  };
  const isLeaving = kind === 'beforeunload';
  return html`
    <dialog ref=${box} id="dialog" aria-labelledby="dialog-source" onCancel=${(event: Event) => decide(event, false)}>
      <form method="dialog" onSubmit=${(event: Event) => decide(event, true)}>
        <p id="dialog-source">${url} says</p>
        <p id="dialog-message">${isLeaving ? 'Leave this page? Changes that you made may not be saved.' : message}</p>
        ${kind === 'prompt' && html`<input ref=${input} id="dialog-input" aria-label="Response" defaultValue=${defaultPrompt} disabled=${!mayControl} />`}
        ${
          mayControl &&
          html`<p class="dialog-buttons">
            ${kind !== 'alert' && html`<button type="button" onClick=${() => answer(false)}>${isLeaving ? 'Stay' : 'Cancel'}</button>`}
            <button type="button" class="primary" onClick=${() => answer(true)}>${isLeaving ? 'Leave' : 'OK'}</button>
          </p>`
        }
      </form>
    </dialog>`;
}
