import { html } from 'htm/preact';
import { copiedText } from './state.ts';

/**
 * Puts text into the viewer's clipboard. Where the browser allows that only after a click, which is so in
 * some frames and without HTTPS, a button is shown.
 */
export async function takeCopiedText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    copiedText.value = undefined;
  } catch {
    copiedText.value = text;
  }
}

/** The button by which the viewer puts text into the clipboard. */
export function CopiedText() {
  const text = copiedText.value;
  if (text === undefined) return null;
  const copy = () => {
    copyByCommand(text);
    copiedText.value = undefined;
  };
  return html`<div id="copied" role="alert"><span>The text is ready to be copied.</span> <button type="button" onClick=${copy}>Copy</button></div>`;
}

function copyByCommand(text: string): void {
  document.addEventListener(
    'copy',
    (event) => {
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
    },
    { once: true },
  );
  document.execCommand('copy');
}
