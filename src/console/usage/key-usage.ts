import { html } from 'htm/preact';
import { send } from '../api.ts';
import { usePolling } from '../polling.ts';
import { toCsv } from './csv.ts';

/** The credits of a month with one key, as `GET /v2/team/credit-usage/historical` has them. */
interface KeyPeriod {
  startDate: string;
  /** The name of the key; empty or absent for jobs without one. */
  apiKey?: string;
  creditsUsed: number;
}

const POLL_MS = 60_000;

/** The credits of each month by key, newest first, and the keys that used most of a month first. */
export function KeyUsage() {
  const { value, error } = usePolling(
    async (signal) => {
      const path = '/v2/team/credit-usage/historical?byApiKey=true';
      return (await send<{ periods: KeyPeriod[] }>({ path, signal })).body.periods;
    },
    () => POLL_MS,
    'keys',
  );
  const rows = (value ?? [])
    .map(({ startDate, apiKey, creditsUsed }) => ({
      month: startDate.slice(0, 7),
      key: apiKey || 'without a key',
      credits: creditsUsed,
    }))
    .sort((a, b) => b.month.localeCompare(a.month) || b.credits - a.credits);
  const largest = Math.max(1, ...rows.map(({ credits }) => credits));
  const csv = toCsv(
    ['month', 'key', 'credits'],
    rows.map(({ month, key, credits }) => [month, key, credits]),
  );
  return html`
    <section class="card" aria-label="Credits by key">
      <div class="bar">
        <h2>Credits by key</h2>
        <a class="button" href=${`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download="credits-by-key.csv">Keys as CSV</a>
      </div>
      ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
      ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the credits…</p>`}
      ${value && !rows.length && html`<div class="empty"><p>Nothing was used yet.</p></div>`}
      ${
        rows.length > 0 &&
        html`
        <div class="wide" tabindex="0" role="region" aria-label="Table of credits by key">
          <table class="hosts">
            <thead><tr><th scope="col">Month</th><th scope="col">Key</th><th scope="col" class="number">Credits</th><th scope="col"><span class="hidden">Compared</span></th></tr></thead>
            <tbody>${rows.map(
              ({ month, key, credits }) => html`
                <tr key=${month + key}><td class="when">${month}</td><td>${key}</td><td class="number">${credits.toLocaleString()}</td>
                  <td class="lane"><span style=${{ width: `${(100 * credits) / largest}%` }} /></td></tr>`,
            )}</tbody>
          </table>
        </div>`
      }
    </section>`;
}
