import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { type Bar, BarChart } from '../elements/bar-chart.ts';
import { count } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { toCsv } from './csv.ts';

/** The calls of language models in one period with one key, as `GET /v2/team/model-usage` has them. */
interface ModelPeriod {
  startDate: string;
  /** Empty for jobs without one. */
  apiKey: string;
  tokens: number;
  calls: number;
}

const HOUR_MS = 3_600_000;
/** The lengths of periods, and how many of them the plot shows. */
const RANGES: Record<string, { title: string; ms: number; bars: number }> = {
  day: { title: 'Days', ms: 24 * HOUR_MS, bars: 60 },
  hour: { title: 'Hours', ms: HOUR_MS, bars: 48 },
};
const POLL_MS = 60_000;
/** Rows that are shown before the user asks for more. */
const PART = 50;

/** The tokens of language models by hour or day and by key. */
export function ModelUsage() {
  const range = useSignal('day');
  const key = useSignal('');
  const { value, error } = usePolling(
    async (signal) => {
      const path = `/v2/team/model-usage?timeRange=${range.value}&byApiKey=true`;
      return (await send<{ data: { periods: ModelPeriod[] } }>({ path, signal })).body.data.periods;
    },
    () => POLL_MS,
    range.value,
  );
  const periods = (value ?? []).filter(({ apiKey }) => !key.value || nameOf(apiKey) === key.value);
  const csv = toCsv(
    ['from', 'key', 'tokens', 'calls'],
    periods.map(({ startDate, apiKey, tokens, calls }) => [startDate, apiKey, tokens, calls]),
  );
  const keys = [...new Set((value ?? []).map(({ apiKey }) => nameOf(apiKey)))].sort();
  const choose = (signal: typeof range) => (event: Event) => {
    signal.value = (event.currentTarget as HTMLSelectElement).value;
  };
  return html`
    <section class="card" aria-label="Language models">
      <div class="bar">
        <h2>Tokens of language models</h2>
        <select aria-label="Period" onChange=${choose(range)}>
          ${Object.entries(RANGES).map(([name, { title }]) => html`<option value=${name} selected=${name === range.value}>${title}</option>`)}
        </select>
        <select aria-label="Key" onChange=${choose(key)}>
          <option value="">All keys</option>
          ${keys.map((name) => html`<option value=${name} selected=${name === key.value}>${name}</option>`)}
        </select>
        <a class="button" href=${`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download=${`model-tokens-by-${range.value}.csv`}>Tokens as CSV</a>
      </div>
      ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
      ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the tokens…</p>`}
      ${
        value &&
        (periods.length
          ? html`
              <${BarChart} bars=${barsOf(periods, range.value)} textOf=${(tokens: number) => count(tokens, 'token')} />
              <${Rows} key=${`${range.value} ${key.value}`} periods=${periods} range=${range.value} />`
          : html`<div class="empty"><p>No language model was asked in this time.</p></div>`)
      }
    </section>`;
}

const nameOf = (apiKey: string) => apiKey || 'without a key';

/** One bar for each of the last periods, also for those without a token, so that the plot is true to time. */
function barsOf(periods: ModelPeriod[], range: string): Bar[] {
  const { ms, bars } = RANGES[range] ?? { ms: HOUR_MS, bars: 48 };
  const last = Math.floor(Date.now() / ms) * ms;
  return Array.from({ length: bars }, (_, index) => {
    const start = last - (bars - 1 - index) * ms;
    const value = periods
      .filter(({ startDate }) => Date.parse(startDate) === start)
      .reduce((sum, { tokens }) => sum + tokens, 0);
    return { label: labelOf(new Date(start).toISOString(), range), value };
  });
}

/** `2026-01-31` for a day, `2026-01-31 14:00 UTC` for an hour. */
const labelOf = (time: string, range: string) =>
  range === 'day' ? time.slice(0, 10) : `${time.slice(0, 16).replace('T', ' ')} UTC`;

function Rows({ periods, range }: { periods: ModelPeriod[]; range: string }) {
  const shown = useSignal(PART);
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Table of tokens">
      <table>
        <thead><tr><th scope="col">From</th><th scope="col">Key</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Requests</th></tr></thead>
        <tbody>${periods
          .toReversed()
          .slice(0, shown.value)
          .map(
            ({ startDate, apiKey, tokens, calls }) => html`
              <tr key=${startDate + apiKey}><td class="when">${labelOf(startDate, range)}</td><td>${nameOf(apiKey)}</td>
                <td class="number">${tokens.toLocaleString()}</td><td class="number">${calls.toLocaleString()}</td></tr>`,
          )}</tbody>
      </table>
    </div>
    ${
      periods.length > shown.value &&
      html`<button type="button" onClick=${() => {
        shown.value += PART * 4;
      }}>Show more of ${count(periods.length, 'row')}</button>`
    }`;
}
