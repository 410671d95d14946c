import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import type { FileChooserSummary } from '../../../schemas/live-view.ts';
import type { Actions } from './bar.ts';
import { fileChooser } from './state.ts';
import { storeFiles } from './uploads.ts';

/** Asks for the files that the page wants, on the viewer's machine. */
export function FileChooser({ actions }: { actions: Actions }) {
  const chooser = fileChooser.value;
  return chooser && html`<${OpenChooser} key=${chooser.id} chooser=${chooser} actions=${actions} />`;
}

function OpenChooser({ chooser, actions }: { chooser: FileChooserSummary; actions: Actions }) {
  const box = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  useEffect(() => {
    box.current?.showModal();
    return () => actions.focusPage();
  }, []);
  const answer = (names: string[]) => actions.send({ type: 'chooseFiles', id: chooser.id, names });
  const give = async (files: File[]) => {
    if (!files.length) return;
    isBusy.value = true;
    const names = await storeFiles(chooser.multiple ? files : files.slice(0, 1));
    isBusy.value = false;
    if (names.length) answer(names);
  };
  return html`
    <dialog ref=${box} id="files" aria-labelledby="files-title" onCancel=${() => answer([])}
      onDragOver=${(event: DragEvent) => event.preventDefault()}
      onDrop=${(event: DragEvent) => {
        event.preventDefault();
        event.stopPropagation();
        void give([...(event.dataTransfer?.files ?? [])]);
      }}>
      <p id="files-title"><strong>The page asks for ${chooser.multiple ? 'files' : 'a file'}</strong></p>
      <label class="drop">${isBusy.value ? 'Sending…' : `Choose ${chooser.multiple ? 'files' : 'a file'} of this machine, or drop ${chooser.multiple ? 'them' : 'it'} here`}
        <input type="file" multiple=${chooser.multiple} disabled=${isBusy.value} onChange=${(event: Event) => give([...((event.currentTarget as HTMLInputElement).files ?? [])])} />
      </label>
      <p class="dialog-buttons"><button type="button" onClick=${() => answer([])}>Cancel</button></p>
    </dialog>`;
}
