import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';

/** Entries of a list or object that are shown before the user asks for more. */
const PART = 100;
/** Characters of a text that are shown before the user asks for more. */
const MAX_TEXT = 2000;

/** Levels of a tree that are open at first. */
const OPEN_LEVELS = 2;

/** JSON as a tree, whose branches open and close. */
export function JsonTree({ value, name, level = 0 }: { value: unknown; name?: string; level?: number }) {
  if (value === null || typeof value !== 'object') {
    return html`<div class="json-line">${name !== undefined && html`<b>${name}: </b>`}<${JsonValue} value=${value} /></div>`;
  }
  return html`<${JsonBranch} value=${value} name=${name} level=${level} />`;
}

function JsonBranch({ value, name, level }: { value: object; name?: string; level: number }) {
  const open = useSignal(level < OPEN_LEVELS);
  const shown = useSignal(PART);
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return html`
    <details
      class="json-branch" open=${open.value}
      onToggle=${(event: Event) => {
        open.value = (event.currentTarget as HTMLDetailsElement).open;
      }}
    >
      <summary>${name !== undefined && html`<b>${name}</b> `}<small>${size}</small></summary>
      ${
        // What is closed is not built: a response may have a million values.
        open.value &&
        entries
          .slice(0, shown.value)
          .map(
            ([key, entry]) => html`<${JsonTree} key=${key} name=${key} value=${entry} level=${level + 1} />`,
          )
      }
      ${
        open.value &&
        entries.length > shown.value &&
        html`<button type="button" class="quiet" onClick=${() => {
          shown.value += PART * 10;
        }}>${entries.length - shown.value} more</button>`
      }
    </details>`;
}

function JsonValue({ value }: { value: unknown }) {
  const isWhole = useSignal(false);
  if (typeof value !== 'string') return html`<code class="json-literal">${String(value)}</code>`;
  if (value.length <= MAX_TEXT || isWhole.value)
    return html`<span class="json-text" dir="auto">${value}</span>`;
  return html`
    <span class="json-text" dir="auto">${value.slice(0, MAX_TEXT)}…</span>
    <button type="button" class="quiet" onClick=${() => {
      isWhole.value = true;
    }}>show all ${value.length.toLocaleString()} characters</button>`;
}
