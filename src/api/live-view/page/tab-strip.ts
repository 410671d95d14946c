import { html } from 'htm/preact';
import type { Actions } from './bar.ts';
import { Icon } from './icons.ts';
import { settings, shownTargetId, tabs } from './state.ts';

/** The tabs. Without a bar, they are shown if there are several. */
export function TabStrip({ actions: { send } }: { actions: Actions }) {
  const { hasToolbar, mayControl } = settings;
  return html`
    <nav id="tabs" aria-label="Tabs" hidden=${tabs.value.length < 2 && !hasToolbar}>
      ${tabs.value.map(({ targetId, title, url, isLoading }) => {
        const isShown = targetId === shownTargetId.value;
        const name = title || url || 'New tab';
        return html`
          <span key=${targetId} data-shown=${isShown ? '' : undefined} class=${isLoading ? 'loading' : ''}>
            <button type="button" title=${url} disabled=${!mayControl} aria-current=${isShown ? 'page' : undefined} onClick=${() => send({ type: 'showTab', targetId })}>${name}</button>
            ${
              mayControl &&
              // The last tab stays open.
              tabs.value.length > 1 &&
              html`<button type="button" title=${`Close ${name}`} aria-label=${`Close ${name}`} onClick=${() => send({ type: 'closeTab', targetId })}>×</button>`
            }
          </span>`;
      })}
      ${
        hasToolbar &&
        mayControl &&
        html`<button type="button" id="new-tab" aria-label="New tab" title="New tab" onClick=${() => send({ type: 'newTab' })}><${Icon} name="plus" /></button>`
      }
    </nav>`;
}
