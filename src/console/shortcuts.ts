import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { goTo } from './router.ts';
import { VIEWS } from './views.ts';

/** Whether the keys do something, which is kept in this browser: programs that write by voice press them by accident. */
const OFF_ITEM = 'winnow-shortcuts-off';
const areOn = signal(localStorage.getItem(OFF_ITEM) === null);
/** Whether the list of shortcuts is open. */
const isOpen = signal(false);
/** How often it was asked for: the browser closes it by itself, too, and says so only a while later. */
const asked = signal(0);
/** The key that begins the way to a view. */
const GO = 'g';
/** How long the second key may take, in milliseconds. */
const PAUSE_MS = 1500;

/** Opens the list of shortcuts. */
export const showShortcuts = (): void => {
  isOpen.value = true;
  asked.value++;
};

/** Whether a key is text for a field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Moves to the first field of the view, which searches, filters or is filled in first. */
function focusFirstField(): void {
  document.querySelector<HTMLElement>('main :is(input:not([type="checkbox"]), textarea, select)')?.focus();
}

/** Listens for the shortcuts, and lists them when `?` is pressed. */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let goesSince = Number.NEGATIVE_INFINITY;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const hasBegun = event.timeStamp - goesSince < PAUSE_MS;
      goesSince = Number.NEGATIVE_INFINITY;
      // The list itself is how the others are turned on again.
      if (event.key === '?') showShortcuts();
      else if (!areOn.value || dialog.current?.open) return;
      else if (event.key === '/') focusFirstField();
      else if (hasBegun) {
        const view = VIEWS.find(({ shortcut }) => shortcut === event.key);
        if (view?.href === undefined) return;
        goTo(view.href || '/');
      } else {
        if (event.key === GO) goesSince = event.timeStamp;
        return;
      }
      event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  // Before the next event, and not some time after the page is drawn: the list would be opened while it is about to close.
  useLayoutEffect(() => {
    if (!isOpen.value) dialog.current?.close();
    else if (!dialog.current?.open) dialog.current?.showModal();
  }, [isOpen.value, asked.value]);
  const close = () => {
    isOpen.value = false;
  };
  // The event comes a while after the list was closed, and may find it open again.
  const follow = () => {
    if (!dialog.current?.open) close();
  };
  return html`
    <dialog class="card shortcuts" ref=${dialog} aria-label="Shortcuts" onClose=${follow}>
      ${isOpen.value && html`<${List} onClose=${close} />`}
    </dialog>`;
}

const List = ({ onClose }: { onClose: () => void }) => html`
  <h2>Shortcuts</h2>
  <dl>
    ${VIEWS.filter(({ shortcut }) => shortcut).map(
      ({ title, shortcut }) => html`<dt><kbd>${GO}</kbd> then <kbd>${shortcut}</kbd></dt><dd>${title}</dd>`,
    )}
    <dt><kbd>/</kbd></dt><dd>The first field of the view</dd>
    <dt><kbd>Ctrl</kbd> <kbd>Enter</kbd></dt><dd>Send the request of the playground</dd>
    <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>From tab to tab</dd>
    <dt><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Home</kbd> <kbd>End</kbd></dt><dd>Through a long list</dd>
    <dt><kbd>?</kbd></dt><dd>This list</dd>
  </dl>
  <label class="check"><input type="checkbox" checked=${areOn.value} onChange=${(event: Event) => {
    areOn.value = (event.currentTarget as HTMLInputElement).checked;
    if (areOn.value) localStorage.removeItem(OFF_ITEM);
    else localStorage.setItem(OFF_ITEM, 'yes');
  }} /> Use single keys</label>
  <button type="button" class="primary" onClick=${onClose}>Close</button>`;
