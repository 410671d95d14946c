import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { Icon } from '../icons.ts';

/** A button that copies a text. It says so for a moment. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 1500);
  };
  return html`
    <button type="button" class="quiet" onClick=${copy}>
      <${Icon} name=${isCopied.value ? 'check' : 'copy'} /><span aria-live="polite">${isCopied.value ? 'Copied' : label}</span>
    </button>`;
}
