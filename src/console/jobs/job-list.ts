import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago, duration } from '../elements/format.ts';
import { HttpStatus, isErrorStatus } from '../elements/http-status.ts';
import { usePolling } from '../polling.ts';
import { BASE, place, setQuery } from '../router.ts';
import { isUpload, nameOfTarget } from './job-target.ts';
import { KIND_TITLES, type ListedJob, STATE_TITLES } from './listed-job.ts';
import { Progress, State } from './state.ts';

interface JobPage {
  data: ListedJob[];
  cursor: string | null;
}

/** How often the list is read again, in milliseconds: while a job in it runs, and otherwise. */
const RUNNING_MS = 2000;
const IDLE_MS = 10_000;
/** The filters, which are in the URL so that a link leads to what is shown. */
const FILTERS = ['kind', 'status', 'target', 'errorCode', 'apiKey'] as const;
/** The filters of times, which are days of the user's time zone in the URL. */
const DAYS = { since: 0, until: 1 } as const;

/** The beginning of a day in the time zone of the user, or of a day behind it. */
function startOf(day: string, daysLater: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}

/** The jobs of the team, newest first. */
export function JobList() {
  const { query } = place.value;
  const filter = new URLSearchParams({ limit: '50' });
  for (const name of FILTERS) {
    const value = query.get(name);
    // People know a status as a code, too.
    if (value) filter.set(name === 'errorCode' && /^\d+$/.test(value) ? 'statusCode' : name, value);
  }
  for (const [name, daysLater] of Object.entries(DAYS)) {
    const time = startOf(query.get(name) ?? '', daysLater);
    if (time) filter.set(name, time);
  }
  const key = filter.toString();
  const { value, error } = usePolling(
    async (signal) => (await send<JobPage>({ path: `/v2/jobs?${key}`, signal })).body,
    ({ data }) => (data.some(({ status }) => status === 'scraping') ? RUNNING_MS : IDLE_MS),
    key,
  );
  return html`
    <h1>Jobs</h1>
    <${Filters} />
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the jobs…</p>`}
    ${value && html`<${Table} key=${key} first=${value} filter=${key} />`}
  `;
}

function Filters() {
  const { query } = place.value;
  const choice = (name: string, label: string, titles: Record<string, string>) => html`
    <label>${label}
      <select onChange=${(event: Event) => setQuery({ [name]: (event.currentTarget as HTMLSelectElement).value })}>
        <option value="">all</option>
        ${Object.entries(titles).map(([value, title]) => html`<option value=${value} selected=${query.get(name) === value}>${title}</option>`)}
      </select>
    </label>`;
  const text = (name: string, label: string, placeholder: string) => html`
    <label>${label}
      <input type="search" placeholder=${placeholder} value=${query.get(name) ?? ''}
        onChange=${(event: Event) => setQuery({ [name]: (event.currentTarget as HTMLInputElement).value.trim() })} />
    </label>`;
  const day = (name: keyof typeof DAYS, label: string) => html`
    <label>${label}
      <input type="date" value=${query.get(name) ?? ''}
        onChange=${(event: Event) => setQuery({ [name]: (event.currentTarget as HTMLInputElement).value })} />
    </label>`;
  return html`
    <form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      ${choice('kind', 'Kind', KIND_TITLES)} ${choice('status', 'State', STATE_TITLES)}
      ${text('target', 'Target', 'part of a URL')} ${text('errorCode', 'Error or status', 'such as 404')}
      ${text('apiKey', 'API key', 'name of the key')}
      ${day('since', 'Since')} ${day('until', 'Until')}
    </form>`;
}

function Table({ first, filter }: { first: JobPage; filter: string }) {
  /** The parts after the first one, which is read again by itself. */
  const later = useSignal<JobPage[]>([]);
  const isReading = useSignal(false);
  const cursor = (later.value.at(-1) ?? first).cursor;
  const readMore = async () => {
    isReading.value = true;
    try {
      const { body } = await send<JobPage>({ path: `/v2/jobs?${filter}&cursor=${cursor}` });
      later.value = [...later.value, body];
    } finally {
      isReading.value = false;
    }
  };
  const seen = new Set<string>();
  // A job that has begun since moves others from the first part to the next one.
  const jobs = [first, ...later.value]
    .flatMap(({ data }) => data)
    .filter(({ id }) => !seen.has(id) && seen.add(id));
  if (!jobs.length) {
    return html`
      <div class="empty"><p>There is no such job.</p><a class="button" href=${BASE}>Try something in the playground</a></div>`;
  }
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Jobs">
      <table class="jobs stacked" role="table">
        <thead role="rowgroup"><tr role="row">
          <th role="columnheader" scope="col">State</th><th role="columnheader" scope="col">Kind</th><th role="columnheader" scope="col">Target</th><th role="columnheader" scope="col">Pages</th>
          <th role="columnheader" scope="col" class="number">Credits</th><th role="columnheader" scope="col" class="number">Took</th><th role="columnheader" scope="col" class="number">Began</th>
        </tr></thead>
        <tbody role="rowgroup">${jobs.map((job) => html`<${Row} key=${job.id} job=${job} />`)}</tbody>
      </table>
    </div>
    ${cursor && html`<button type="button" disabled=${isReading.value} onClick=${readMore}>Show older jobs</button>`}`;
}

function Row({ job }: { job: ListedJob }) {
  const { id, kind, status, paused, target, pages, creditsUsed, createdAt, finishedAt, statusCode, error } =
    job;
  const end = finishedAt === null ? Date.now() : Date.parse(finishedAt);
  return html`
    <tr role="row">
      <td role="cell"><${State} status=${status} isPaused=${paused} failed=${pages?.failed ?? Number(isErrorStatus(statusCode))} /></td>
      <td role="cell">${isUpload(target) ? 'Parse' : (KIND_TITLES[kind] ?? kind)}</td>
      <td class="target" role="cell"><a href=${`${BASE}/jobs/${kind}/${id}`} dir="auto">${target === null ? 'not kept (zero data retention)' : nameOfTarget(target)}</a>
        ${error && html`<small class="error" title=${error.message}>${error.code}</small>`}
        ${isErrorStatus(statusCode) && html`<small><${HttpStatus} status=${statusCode} /></small>`}</td>
      <td role="cell">${pages && html`<${Pages} pages=${pages} isComplete=${status === 'completed'} />`}</td>
      <td class="number" role="cell" data-unit=${creditsUsed === 1 ? 'credit' : 'credits'}>${creditsUsed.toLocaleString()}</td>
      <td class="number" role="cell">${duration(end - Date.parse(createdAt))}</td>
      <td class="number" role="cell"><time datetime=${createdAt} title=${new Date(createdAt).toLocaleString()}>${ago(createdAt)}</time></td>
    </tr>`;
}

function Pages({ pages, isComplete }: { pages: NonNullable<ListedJob['pages']>; isComplete: boolean }) {
  const { completed, failed } = pages;
  const done = completed + failed;
  const total = isComplete ? done : pages.total;
  const text =
    done === total ? done.toLocaleString() : `${done.toLocaleString()} of ${total.toLocaleString()}`;
  return html`
    <${Progress} completed=${completed} failed=${failed} total=${total} />
    <small> ${text}${failed > 0 && html`, <span class="bad">${failed.toLocaleString()} failed</span>`}</small>`;
}
