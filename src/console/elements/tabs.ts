import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';

/** One of several panels. */
export interface Tab {
  name: string;
  /** Beside the name, such as a number. */
  note?: string;
  content: () => ComponentChildren;
}

/** Panels of which one is shown. The arrow keys go from tab to tab (WAI-ARIA practices, tabs). */
export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const chosen = useSignal<string | undefined>(undefined);
  const current = tabs.find(({ name }) => name === chosen.value) ?? tabs[0];
  if (!current) return null;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length];
    chosen.value = next?.name;
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return html`
    <div class="tabs">
      <div role="tablist" aria-label=${label} onKeyDown=${move}>
        ${tabs.map(
          (tab) => html`
            <button
              type="button" role="tab" aria-selected=${tab === current} tabindex=${tab === current ? 0 : -1}
              onClick=${() => {
                chosen.value = tab.name;
              }}
            >${tab.name}${tab.note && html` <small>${tab.note}</small>`}</button>`,
        )}
      </div>
      <div role="tabpanel" aria-label=${current.name} tabindex="0" key=${current.name}>${current.content()}</div>
    </div>`;
}
