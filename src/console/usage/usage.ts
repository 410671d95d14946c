import { html } from 'htm/preact';
import { send } from '../api.ts';
import { type Bar, BarChart } from '../elements/bar-chart.ts';
import { Figure } from '../elements/figure.ts';
import { count } from '../elements/format.ts';
import { KeyTable, type TeamKey } from '../elements/key-table.ts';
import { usePolling } from '../polling.ts';
import { place, setQuery } from '../router.ts';
import { toCsv } from './csv.ts';

/** What was used in a period. */
interface Period {
  date: string;
  credits: number;
  tokens: number;
}

/** The tokens of language models by day, and the limit of a day. */
interface Models {
  tokensPerDay: number | null;
  days: { date: string; tokens: number }[];
}

interface Usage {
  remaining: number;
  planned: number;
  models: Models;
  periods: Period[];
  queue: { jobsInQueue: number; activeJobsInQueue: number; maxConcurrency: number };
  keys: TeamKey[];
}

/** The API reports so many credits for a team without a limit. */
const UNLIMITED = 999_999_999;
const POLL_MS = 15_000;
const RANGES: Record<string, string> = { day: 'Days', week: 'Weeks', month: 'Months' };
/** Periods that the plot shows. */
const MAX_BARS = 60;

interface CreditPeriod {
  startDate: string;
  endDate: string;
  creditsUsed: number;
}

async function readUsage(range: string, signal: AbortSignal): Promise<Usage> {
  const read = async <Body>(path: string) => (await send<Body>({ path: `/v2/team/${path}`, signal })).body;
  const [balance, history, models, queue, keys] = await Promise.all([
    read<{ data: { remainingCredits: number; planCredits: number } }>('credit-usage'),
    read<{ periods: CreditPeriod[] }>(`credit-usage/historical?timeRange=${range}`),
    read<{ data: Models }>('model-usage'),
    read<Usage['queue']>('queue-status'),
    read<{ data: Usage['keys'] }>('keys'),
  ]);
  return {
    remaining: balance.data.remainingCredits,
    planned: balance.data.planCredits,
    models: models.data,
    periods: joinPeriods(history.periods, models.data.days),
    queue,
    keys: keys.data,
  };
}

/** Puts the credits and the tokens of each period together, oldest first. */
const joinPeriods = (periods: CreditPeriod[], days: Models['days']): Period[] =>
  periods.map(({ startDate, endDate, creditsUsed }) => ({
    date: startDate.slice(0, 10),
    credits: creditsUsed,
    tokens: days
      .filter(({ date }) => date >= startDate.slice(0, 10) && date < endDate.slice(0, 10))
      .reduce((sum, { tokens }) => sum + tokens, 0),
  }));

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
    ${value && html`<${Balance} usage=${value} /><${Consumption} usage=${value} range=${range} /><${Keys} keys=${value.keys} />`}`;
}

/** Today in UTC, by which limits of a day count. */
const today = () => new Date().toISOString().slice(0, 10);

function Balance({ usage: { remaining, planned, models, queue } }: { usage: Usage }) {
  return html`
    <dl class="figures">
      ${
        remaining === UNLIMITED
          ? html`<${Figure} title="Credits left" text="unlimited" />`
          : html`<${Figure} title="Credits left" text=${remaining.toLocaleString()} note=${`of ${planned.toLocaleString()}`} />`
      }
      <${Figure}
        title="Model tokens today" text=${(models.days.find(({ date }) => date === today())?.tokens ?? 0).toLocaleString()}
        note=${models.tokensPerDay === null ? 'without a limit' : `of ${models.tokensPerDay.toLocaleString()}`}
      />
      <${Figure} title="Work that waits or runs" text=${queue.jobsInQueue.toLocaleString()} />
      <${Figure} title="Slots in use" text=${queue.activeJobsInQueue.toLocaleString()} note=${`of ${queue.maxConcurrency.toLocaleString()}`} />
    </dl>`;
}

function Consumption({ usage: { periods }, range }: { usage: Usage; range: string }) {
  const rows = periods.slice(-MAX_BARS);
  const csv = toCsv(
    ['from', 'credits', 'tokens'],
    periods.map(({ date, credits, tokens }) => [date, credits, tokens]),
  );
  const barsOf = (what: 'credits' | 'tokens'): Bar[] =>
    rows.map((period) => ({ label: period.date, value: period[what] }));
  return html`
    <section class="card" aria-label="Consumption">
      <div class="bar">
        <h2>Credits and model tokens</h2>
        <select aria-label="Period" onChange=${(event: Event) => setQuery({ range: (event.currentTarget as HTMLSelectElement).value })}>
          ${Object.entries(RANGES).map(([value, title]) => html`<option value=${value} selected=${value === range}>${title}</option>`)}
        </select>
        <a class="button" href=${`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download=${`usage-by-${range}.csv`}>CSV of all</a>
      </div>
      ${
        rows.length
          ? html`
              <h3>Credits</h3>
              <${BarChart} bars=${barsOf('credits')} textOf=${(value: number) => count(value, 'credit')} />
              ${
                rows.some(({ tokens }) => tokens > 0) &&
                html`<h3>Model tokens</h3>
                <${BarChart} bars=${barsOf('tokens')} textOf=${(value: number) => count(value, 'token')} />`
              }
              <details open><summary>As a table</summary>
                <table><thead><tr><th scope="col">From</th><th scope="col" class="number">Credits</th><th scope="col" class="number">Model tokens</th></tr></thead>
                <tbody>${rows
                  .toReversed()
                  .map(
                    ({ date, credits, tokens }) =>
                      html`<tr><td>${date}</td><td class="number">${credits.toLocaleString()}</td><td class="number">${tokens.toLocaleString()}</td></tr>`,
                  )}</tbody></table>
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
