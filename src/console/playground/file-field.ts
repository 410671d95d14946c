import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useId } from 'preact/hooks';
import { bytes } from '../elements/format.ts';

/** A field for a file of this machine, which is chosen or dropped on it. */
export function FileField({
  file,
  onChange,
}: {
  file: File | undefined;
  onChange: (file: File | undefined) => void;
}) {
  const id = useId();
  const isOver = useSignal(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    const dropped = event.dataTransfer?.files[0];
    if (dropped) onChange(dropped);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = true;
  };
  return html`
    <div
      class=${`field drop ${isOver.value ? 'over' : ''}`} onDrop=${drop} onDragOver=${over}
      onDragLeave=${() => {
        isOver.value = false;
      }}
    >
      <label for=${id}>file</label>
      <input
        type="file" id=${id} required=${!file} aria-describedby=${`${id}-help`}
        onChange=${(event: Event) => onChange((event.currentTarget as HTMLInputElement).files?.[0])}
      />
      <small class="help" id=${`${id}-help`} role="status">
        ${file ? html`<b dir="auto">${file.name}</b>, ${bytes(file.size)}` : 'Choose a file, or drop one here.'}
      </small>
    </div>`;
}
