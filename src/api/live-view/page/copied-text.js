import { element } from './elements.js';

/**
 * Puts text into the viewer's clipboard. Where the browser allows that only after a click, which is so in
 * some frames and without HTTPS, a button is shown.
 * @param {string} text
 */
export async function takeCopiedText(text) {
  const notice = element('copied', HTMLElement);
  try {
    await navigator.clipboard.writeText(text);
    notice.hidden = true;
  } catch {
    notice.hidden = false;
    element('copy-text', HTMLButtonElement).onclick = () => {
      copyByCommand(text);
      notice.hidden = true;
    };
  }
}

/** @param {string} text */
function copyByCommand(text) {
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
