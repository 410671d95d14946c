import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago, count } from '../elements/format.ts';
import { offsetOf, PART, Pager } from '../elements/pager.ts';
import { usePolling } from '../polling.ts';
import { BASE, place, setQuery } from '../router.ts';
import { CheckedPage } from './checked-page.ts';
import {
  CHECK_TITLES,
  type Check,
  type CheckPage,
  describeCheck,
  outcomeOf,
  PAGE_TITLES,
  type PageStatus,
} from './monitor-resources.ts';

const POLL_MS = 1500;

/** One check of a monitor, by the ids of both: its pages, and what changed on them. */
export function CheckView({
  parameters: [monitorId = '', checkId = ''],
}: {
  parameters: (string | undefined)[];
}) {
  const { query } = place.value;
  const status = query.get('status') ?? '';
  const path = `/v2/monitor/${monitorId}/checks/${checkId}?limit=${PART}&skip=${offsetOf(query)}`;
  const key = path + (status && `&status=${encodeURIComponent(status)}`);
  const { value, error } = usePolling(
    async (signal) =>
      (await send<{ data: Check & { pages: CheckPage[]; next?: string } }>({ path: key, signal })).body.data,
    (check) => (outcomeOf(check) === 'running' ? POLL_MS : undefined),
    key,
  );
  const monitor = `${BASE}/monitors/${monitorId}`;
  return html`
    <nav class="trail" aria-label="Where you are"><a href=${`${BASE}/monitors`}>Monitors</a> / <a href=${monitor}>Monitor</a> / Check</nav>
    <h1>Check ${value && html`<small>${ago(value.createdAt)}</small>`}</h1>
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the check…</p>`}
    ${
      value &&
      html`
        <${Head} check=${value} />
        <${Filter} summary=${value.summary} status=${status} />
        ${
          value.pages.length
            ? html`<ol class="documents">${value.pages.map((page) => html`<${CheckedPage} key=${page.id} page=${page} monitor=${monitor} />`)}</ol>`
            : html`<div class="empty"><p>There is no such page.</p></div>`
        }
        <${Pager} hasMore=${value.next !== undefined} />`
    }`;
}

function Head({ check }: { check: Check }) {
  const { status, trigger, createdAt, actualCredits, error, warning } = check;
  return html`
    <section class="card job-head" aria-label="Check">
      <p class="facts" role="status">
        <span class=${`state ${outcomeOf(check)}`}>${CHECK_TITLES[status]}</span>
        <span>${describeCheck(check)}</span>
        <span>begun by ${trigger === 'manual' ? 'a request' : 'the schedule'} at ${new Date(createdAt).toLocaleString()}</span>
        ${actualCredits !== null && html`<span>${count(actualCredits, 'credit')}</span>`}
      </p>
      ${error && html`<p class="error">${error}</p>`}
      ${warning && html`<p class="warning">${warning}</p>`}
    </section>`;
}

function Filter({ summary, status }: { summary: Check['summary']; status: string }) {
  const change = (event: Event) =>
    setQuery({ status: (event.currentTarget as HTMLSelectElement).value, offset: '' });
  return html`
    <form class="filters" role="search">
      <label>Pages
        <select onChange=${change}>
          <option value="">all (${summary.totalPages.toLocaleString()})</option>
          ${(Object.keys(PAGE_TITLES) as PageStatus[]).map(
            (name) =>
              html`<option value=${name} selected=${name === status}>${name} (${summary[name].toLocaleString()})</option>`,
          )}
        </select>
      </label>
    </form>`;
}
