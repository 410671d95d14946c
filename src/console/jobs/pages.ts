import { html } from 'htm/preact';
import { place, setQuery } from '../router.ts';
import { Documents } from './documents.ts';
import { FoundPages, filterOf, PAGE_STATES } from './found-pages.ts';

/** How far a job is whose pages are shown. */
interface ShownJob {
  path: string;
  completed: number;
  failed: number;
  isRunning: boolean;
}

/** The documents of a batch or crawl, or its pages in another state or with words in their URL. */
export function Pages({ path, completed, failed, isRunning }: ShownJob) {
  const state = place.value.query.get('state') ?? 'completed';
  const filter = filterOf(state === 'all' ? '' : state);
  return html`
    <form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <label>State
        <select onChange=${(event: Event) => setQuery({ state: (event.currentTarget as HTMLSelectElement).value, code: '' })}>
          ${Object.entries({ ...PAGE_STATES, all: 'All' }).map(
            ([value, title]) => html`<option value=${value} selected=${value === state}>${title}</option>`,
          )}
        </select>
      </label>
      <${UrlSearch} />
    </form>
    ${
      state === 'completed' && !filter.search
        ? html`<${Documents} path=${path} total=${completed} />`
        : html`<${FoundPages} path=${`${path}/pages`} filter=${filter} isRunning=${isRunning} revision=${`${completed} ${failed}`} />`
    }`;
}

/** The failed pages of a batch or crawl, by their error codes and by words in their URL. */
export const Failures = ({ path, failed, isRunning }: Omit<ShownJob, 'completed'>) => html`
  <form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}><${UrlSearch} /></form>
  <${FoundPages} path=${`${path}/pages`} filter=${filterOf('failed')} isRunning=${isRunning} revision=${String(failed)} />`;

/** Pages are looked for when the words have rested for so long, in milliseconds. */
const REST_MS = 300;
let timer: ReturnType<typeof setTimeout> | undefined;

const UrlSearch = () => html`
  <label class="grows">URL contains
    <input type="search" placeholder="words of the URL" maxlength="200" value=${place.value.query.get('search') ?? ''} onInput=${(
      event: Event,
    ) => {
      const { value } = event.currentTarget as HTMLInputElement;
      clearTimeout(timer);
      timer = setTimeout(() => setQuery({ search: value.trim() }), REST_MS);
    }} />
  </label>`;
