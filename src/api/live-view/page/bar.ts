import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ViewerMessage } from '../../../schemas/live-view.ts';
import { DownloadShelf } from './download-shelf.ts';
import { Icon } from './icons.ts';
import { connectionState, endsAt, followsSize, settings, shownTab } from './state.ts';
import { showNotice } from './status.ts';
import { urlOf } from './typed-url.ts';

const CONNECTION_TEXTS = {
  connecting: 'Connecting',
  open: 'Connected',
  lost: 'Connecting again',
  ended: 'The session has ended',
} as const;
/** How often the time left is read again, because the session may have been lengthened, in milliseconds. */
const REFRESH_MS = 30_000;
const REMAINING_HEADER = 'X-Winnow-Session-Remaining-Ms';

/** What the parts of the page do. */
export interface Actions {
  send(message: ViewerMessage): void;
  /** Has keys go to the remote browser again. */
  focusPage(): void;
}

/** The bar of the browser: where the tab is, where it can go, and how the session is. */
export function Bar({ actions }: { actions: Actions }) {
  const tab = shownTab.value;
  const { send } = actions;
  return html`
    <header id="bar">
      ${
        settings.mayControl &&
        html`<div class="buttons">
          <button type="button" disabled=${!tab?.canGoBack} onClick=${() => send({ type: 'history', move: 'back' })} aria-label="Back" title="Back"><${Icon} name="back" /></button>
          <button type="button" disabled=${!tab?.canGoForward} onClick=${() => send({ type: 'history', move: 'forward' })} aria-label="Forward" title="Forward"><${Icon} name="forward" /></button>
          ${
            tab?.isLoading
              ? html`<button type="button" onClick=${() => send({ type: 'history', move: 'stop' })} aria-label="Stop" title="Stop"><${Icon} name="stop" /></button>`
              : html`<button type="button" disabled=${!tab} onClick=${() => send({ type: 'history', move: 'reload' })} aria-label="Reload" title="Reload"><${Icon} name="reload" /></button>`
          }
        </div>`
      }
      ${settings.mayControl ? html`<${Address} actions=${actions} />` : html`<${PlaceShown} />`}
      <div class="buttons">
        ${
          settings.mayControl &&
          html`<button type="button" aria-pressed=${followsSize.value} onClick=${() => {
            followsSize.value = !followsSize.value;
          }} aria-label="Fit the page to this window" title="Fit the page to this window"><${Icon} name="fit" /></button>`
        }
        <${DownloadShelf} />
      </div>
      <div id="session">
        <span class=${`dot ${connectionState.value}`} />
        <span id="connection" role="status">${CONNECTION_TEXTS[connectionState.value]}</span>
        <${TimeLeft} />
      </div>
      ${tab?.isLoading && html`<div class="progress" />`}
    </header>`;
}

/** Title and URL for viewers who only watch. */
const PlaceShown = () => html`
  <div id="place">
    <strong>${shownTab.value?.title || 'New tab'}</strong>
    <span id="url">${shownTab.value?.url}</span>
  </div>`;

function Address({ actions }: { actions: Actions }) {
  const field = useRef<HTMLInputElement>(null);
  const typed = useSignal<string | undefined>(undefined);
  const url = shownTab.value?.url ?? '';
  const submit = (event: Event) => {
    event.preventDefault();
    const target = urlOf(field.current?.value ?? '');
    if (!target) return showNotice('Type a URL, such as example.com.');
    actions.send({ type: 'navigate', url: target });
    typed.value = undefined;
    actions.focusPage();
  };
  return html`
    <form id="address" onSubmit=${submit}>
      <input ref=${field} id="url" aria-label="Address" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go"
        maxlength="2000" placeholder="Type a URL"
        value=${typed.value ?? (url === 'about:blank' ? '' : url)}
        onFocus=${() => {
          // A page that moves on meanwhile would take the selection, and what is typed would be appended.
          typed.value = field.current?.value;
          field.current?.select();
        }}
        onInput=${(event: Event) => {
          typed.value = (event.currentTarget as HTMLInputElement).value;
        }}
        onBlur=${() => {
          typed.value = undefined;
        }}
        onKeyDown=${(event: KeyboardEvent) => {
          if (event.key !== 'Escape') return;
          typed.value = undefined;
          actions.focusPage();
        }} />
    </form>`;
}

/** How long the session still lives at most. */
function TimeLeft() {
  const now = useSignal(performance.now());
  const readAt = useRef(performance.now());
  useEffect(() => {
    const timer = setTimeout(() => {
      now.value = performance.now();
      if (now.value - readAt.current < REFRESH_MS) return;
      readAt.current = now.value;
      void readRemaining();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [now.value]);
  if (connectionState.value === 'ended') return null;
  const seconds = Math.max(0, Math.round((endsAt.value - now.value) / 1_000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return html`<span id="time-left" class=${seconds < 60 ? 'soon' : ''} title="The session ends then, unless it is lengthened">${text} left</span>`;
}

async function readRemaining(): Promise<void> {
  try {
    const response = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
    const remaining = response.headers.get(REMAINING_HEADER);
    if (remaining !== null) endsAt.value = performance.now() + Number(remaining);
  } catch {
    // The service cannot be reached at the moment, which the connection shows.
  }
}
