import { html } from 'htm/preact';
import { send } from '../api.ts';
import { type Bar, BarChart } from '../elements/bar-chart.ts';
import { Figure } from '../elements/figure.ts';
import { count } from '../elements/format.ts';
import { KeyTable, type TeamKey } from '../elements/key-table.ts';
import { usePolling } from '../polling.ts';
import { place, setQuery } from '../router.ts';
import { toCsv } from './csv.ts';

interface Usage {
  remaining: number;
  planned: number;
  periods: { startDate: string; creditsUsed: number }[];
  queue: { jobsInQueue: number; activeJobsInQueue: number; maxConcurrency: number };
  keys: TeamKey[];
}

/** The API reports so many credits for a team without a limit. */
const UNLIMITED = 999_999_999;
const POLL_MS = 15_000;
const RANGES: Record<string, string> = { day: 'Days', week: 'Weeks', month: 'Months' };
/** Periods that the plot shows. */
const MAX_BARS = 60;

async function readUsage(range: string, signal: AbortSignal): Promise<Usage> {
  const read = async <Body>(path: string) => (await send<Body>({ path: `/v2/team/${path}`, signal })).body;
  const [balance, history, queue, keys] = await Promise.all([
    read<{ data: { remainingCredits: number; planCredits: number } }>('credit-usage'),
    read<Pick<Usage, 'periods'>>(`credit-usage/historical?timeRange=${range}`),
    read<Usage['queue']>('queue-status'),
    read<{ data: Usage['keys'] }>('keys'),
  ]);
  return {
    remaining: balance.data.remainingCredits,
    planned: balance.data.planCredits,
    periods: history.periods,
    queue,
    keys: keys.data,
  };
}

/** What the team has used, what is left, and its keys. */
export function UsageView() {
  const range = place.value.query.get('range') ?? 'day';
  const { value, error } = usePolling(
    (signal) => readUsage(range, signal),
    () => POLL_MS,
    range,
  );
  return html`
    <h1>Usage</h1>
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the usage…</p>`}
    ${value && html`<${Balance} usage=${value} /><${Credits} usage=${value} range=${range} /><${Keys} keys=${value.keys} />`}`;
}

function Balance({ usage: { remaining, planned, queue } }: { usage: Usage }) {
  return html`
    <dl class="figures">
      ${
        remaining === UNLIMITED
          ? html`<${Figure} title="Credits left" text="unlimited" />`
          : html`<${Figure} title="Credits left" text=${remaining.toLocaleString()} note=${`of ${planned.toLocaleString()}`} />`
      }
      <${Figure} title="Work that waits or runs" text=${queue.jobsInQueue.toLocaleString()} />
      <${Figure} title="Slots in use" text=${queue.activeJobsInQueue.toLocaleString()} note=${`of ${queue.maxConcurrency.toLocaleString()}`} />
    </dl>`;
}

function Credits({ usage: { periods }, range }: { usage: Usage; range: string }) {
  const rows = periods
    .slice(-MAX_BARS)
    .map(({ startDate, creditsUsed }) => ({ date: startDate.slice(0, 10), creditsUsed }));
  const bars: Bar[] = rows.map(({ date, creditsUsed }) => ({ label: date, value: creditsUsed }));
  const csv = toCsv(
    ['from', 'credits'],
    rows.map(({ date, creditsUsed }) => [date, creditsUsed]),
  );
  return html`
    <section class="card" aria-label="Credits">
      <div class="bar">
        <h2>Credits</h2>
        <select aria-label="Period" onChange=${(event: Event) => setQuery({ range: (event.currentTarget as HTMLSelectElement).value })}>
          ${Object.entries(RANGES).map(([value, title]) => html`<option value=${value} selected=${value === range}>${title}</option>`)}
        </select>
        <a class="button" href=${`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download=${`credits-by-${range}.csv`}>CSV</a>
      </div>
      ${
        rows.length
          ? html`<${BarChart} bars=${bars} textOf=${(value: number) => count(value, 'credit')} />
              <details><summary>As a table</summary>
                <table><thead><tr><th scope="col">From</th><th scope="col" class="number">Credits</th></tr></thead>
                <tbody>${rows.toReversed().map(({ date, creditsUsed }) => html`<tr><td>${date}</td><td class="number">${creditsUsed.toLocaleString()}</td></tr>`)}</tbody></table>
              </details>`
          : html`<div class="empty"><p>Nothing was used yet.</p></div>`
      }
    </section>`;
}

const Keys = ({ keys }: { keys: Usage['keys'] }) => html`
  <section class="card" aria-label="Keys">
    <h2>Keys</h2>
    <p class="about">${count(keys.filter(({ revokedAt }) => !revokedAt).length, 'key')} can be used. ${' '}
      <code>winnow key create NAME</code> makes one, <code>winnow key revoke NAME</code> ends it.</p>
    <${KeyTable} keys=${keys} />
  </section>`;
