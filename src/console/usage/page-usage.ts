import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { type Bar, BarChart } from '../elements/bar-chart.ts';
import { count } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { toCsv } from './csv.ts';

/** The pages of a day that ended in one way, as `GET /v2/team/page-usage` counts them. */
interface PageCount {
  date: string;
  engine: string;
  outcome: keyof typeof OUTCOMES;
  pages: number;
}

/** The outcomes as people name them, in the order in which bars have them. */
const OUTCOMES = { completed: 'Documents', http_error: 'HTTP errors', failed: 'Failed' };
const NAMES = Object.keys(OUTCOMES) as PageCount['outcome'][];
const DAY_MS = 86_400_000;
/** Days that the plot shows. */
const DAYS = 30;
const POLL_MS = 60_000;

/** The pages of each day by engine and outcome. */
export function PageUsage() {
  const engine = useSignal('');
  const { value, error } = usePolling(
    async (signal) => (await send<{ data: PageCount[] }>({ path: '/v2/team/page-usage', signal })).body.data,
    () => POLL_MS,
    'pages',
  );
  const engines = [...new Set((value ?? []).map((each) => each.engine))].sort();
  const counts = (value ?? []).filter((each) => !engine.value || each.engine === engine.value);
  const csv = toCsv(
    ['date', 'engine', 'outcome', 'pages'],
    counts.map(({ date, engine: name, outcome, pages }) => [date, name, outcome, pages]),
  );
  const choose = (event: Event) => {
    engine.value = (event.currentTarget as HTMLSelectElement).value;
  };
  return html`
    <section class="card" aria-label="Pages by engine">
      <div class="bar">
        <h2>Pages</h2>
        <select aria-label="Engine" onChange=${choose}>
          <option value="">All engines</option>
          ${engines.map((name) => html`<option value=${name} selected=${name === engine.value}>${name}</option>`)}
        </select>
        <a class="button" href=${`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download="pages-by-day.csv">Pages as CSV</a>
      </div>
      ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
      ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the pages…</p>`}
      ${
        value &&
        (counts.length
          ? html`
              <p class="plot-legend">${NAMES.map((name) => html`<span class=${name}>${OUTCOMES[name]}</span>`)}</p>
              <${BarChart} bars=${barsOf(counts)} textOf=${(pages: number) => count(pages, 'page')} />
              <${Rows} counts=${counts} />`
          : html`<div class="empty"><p>No page was scraped yet.</p></div>`)
      }
    </section>`;
}

/** One bar for each of the last days, also for those without a page, so that the plot is true to time. */
function barsOf(counts: PageCount[]): Bar[] {
  return Array.from({ length: DAYS }, (_, index) => {
    const label = new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const ofDay = counts.filter(({ date }) => date === label);
    const parts = NAMES.map((name) => ({ name, value: sumOf(ofDay, name) }));
    return { label, value: sumOf(ofDay), parts };
  });
}

const sumOf = (counts: PageCount[], name?: PageCount['outcome']) =>
  counts
    .filter(({ outcome }) => name === undefined || outcome === name)
    .reduce((sum, { pages }) => sum + pages, 0);

/** A row for each engine of each day, the newest day first. */
function Rows({ counts }: { counts: PageCount[] }) {
  const rows = Object.entries(Object.groupBy(counts, ({ date, engine }) => `${date} ${engine}`))
    .map(([key, ofRow = []]) => ({ key, ofRow, date: ofRow[0]?.date, engine: ofRow[0]?.engine }))
    .sort((a, b) => b.key.slice(0, 10).localeCompare(a.key.slice(0, 10)) || sumOf(b.ofRow) - sumOf(a.ofRow));
  return html`
    <div class="wide tall" tabindex="0" role="region" aria-label="Table of pages">
      <table>
        <thead><tr><th scope="col">Day</th><th scope="col">Engine</th>
          ${NAMES.map((name) => html`<th scope="col" class="number">${OUTCOMES[name]}</th>`)}</tr></thead>
        <tbody>${rows.map(
          ({ key, ofRow, date, engine }) => html`
            <tr key=${key}><td class="when">${date}</td><td>${engine}</td>
              ${NAMES.map((name) => html`<td class="number">${sumOf(ofRow, name).toLocaleString()}</td>`)}</tr>`,
        )}</tbody>
      </table>
    </div>`;
}
