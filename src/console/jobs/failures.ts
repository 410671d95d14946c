import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { count } from '../elements/format.ts';
import { OuterLink } from '../elements/markdown.ts';
import { usePolling } from '../polling.ts';
import { Why } from '../why/why.ts';

interface FailedPages {
  errors: { id: string; url: string; code?: string; error: string }[];
  robotsBlocked: string[];
}

/** Failures that are shown before the user asks for more. */
const PART = 100;

/** A page's *why*, which is read when it is opened. */
function OpenWhy({ id }: { id: string }) {
  const isOpen = useSignal(false);
  return html`
    <details onToggle=${(event: Event) => {
      isOpen.value = (event.currentTarget as HTMLDetailsElement).open;
    }}>
      <summary>Why</summary>
      ${isOpen.value && html`<${Why} id=${id} hasError=${false} />`}
    </details>`;
}

/** The failed pages of a batch or crawl, by their error codes. */
export function Failures({ path, failed }: { path: string; failed: number }) {
  const code = useSignal('');
  const limit = useSignal(PART);
  const { value, error } = usePolling(
    async (signal) => (await send<FailedPages>({ path: `${path}/errors`, signal })).body,
    () => undefined,
    `${path} ${failed}`,
  );
  if (error) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="waiting" role="status"><span class="spinner" />Reading the failures…</p>`;
  const codes = countByCode(value);
  const shown = value.errors.filter((each) => !code.value || codeOf(each) === code.value);
  return html`
    <div class="bar" role="group" aria-label="Show failures with this code">
      ${[...codes].map(
        ([name, number]) => html`
          <button type="button" class="quiet" aria-pressed=${code.value === name} onClick=${() => {
            code.value = code.value === name ? '' : name;
          }}>${name} <small>${number.toLocaleString()}</small></button>`,
      )}
    </div>
    <ul class="failures">
      ${shown
        .slice(0, limit.value)
        .map(
          (each) =>
            html`<li key=${each.id}><b>${codeOf(each)}</b> <${OuterLink} url=${each.url} /><p>${each.error}</p><${OpenWhy} id=${each.id} /></li>`,
        )}
    </ul>
    ${
      shown.length > limit.value &&
      html`<button type="button" onClick=${() => {
        limit.value += PART;
      }}>Show more of ${count(shown.length, 'failure')}</button>`
    }
    ${
      value.robotsBlocked.length > 0 &&
      html`<details><summary>${count(value.robotsBlocked.length, 'URL')} that robots.txt excludes</summary>
        <ul class="links">${value.robotsBlocked.map((url) => html`<li><${OuterLink} url=${url} /></li>`)}</ul></details>`
    }`;
}

const codeOf = ({ code = 'failed' }: FailedPages['errors'][number]) => code;

/** The error codes of failed pages with their numbers, the most frequent one first. */
function countByCode({ errors }: FailedPages): [string, number][] {
  const counts = new Map<string, number>();
  for (const each of errors) counts.set(codeOf(each), (counts.get(codeOf(each)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
