import { html } from 'htm/preact';
import { send } from '../api.ts';
import { type Bar, BarChart } from '../elements/bar-chart.ts';
import { Figure } from '../elements/figure.ts';
import { count } from '../elements/format.ts';
import { KeyTable, type TeamKey } from '../elements/key-table.ts';
import { usePolling } from '../polling.ts';
import { place, setQuery } from '../router.ts';
import { toCsv } from './csv.ts';
import { KeyUsage } from './key-usage.ts';
import { Limits } from './limits.ts';
import { ModelUsage } from './model-usage.ts';
import { PageUsage } from './page-usage.ts';

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

/** The tokens of language models by hour. */
interface ModelHours {
  periods: { startDate: string; tokens: number }[];
}

interface Usage {
  remaining: number;
  planned: number;
  /** The credits of this day and of the one before, in UTC. */
  today: number;
  yesterday: number;
  models: Models;
  periods: Period[];
  queue: { jobsInQueue: number; activeJobsInQueue: number; maxConcurrency: number };
  keys: TeamKey[];
}

/** The API reports so many credits for a team without a limit. */
const UNLIMITED = 999_999_999;
const POLL_MS = 15_000;
const RANGES: Record<string, string> = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' };
/** Periods that the plot shows. */
const MAX_BARS = 60;

interface CreditPeriod {
  startDate: string;
  endDate: string;
  creditsUsed: number;
}

async function readUsage(range: string, signal: AbortSignal): Promise<Usage> {
  const read = async <Body>(path: string) => (await send<Body>({ path: `/v2/team/${path}`, signal })).body;
  const [balance, history, days, models, hours, queue, keys] = await Promise.all([
    read<{ data: { remainingCredits: number; planCredits: number } }>('credit-usage'),
    read<{ periods: CreditPeriod[] }>(`credit-usage/historical?timeRange=${range}`),
    read<{ periods: CreditPeriod[] }>('credit-usage/historical?timeRange=day'),
    read<{ data: Models }>('model-usage'),
    range === 'hour' ? read<{ data: ModelHours }>('model-usage?timeRange=hour') : undefined,
    read<Usage['queue']>('queue-status'),
    read<{ data: Usage['keys'] }>('keys'),
  ]);
  const creditsOf = (date: string) =>
    days.periods.find(({ startDate }) => startDate.startsWith(date))?.creditsUsed ?? 0;
  return {
    today: creditsOf(dayBefore(0)),
    yesterday: creditsOf(dayBefore(1)),
    remaining: balance.data.remainingCredits,
    planned: balance.data.planCredits,
    models: models.data,
    periods: joinPeriods(
      withGaps(history.periods, range),
      hours?.data.periods ??
        models.data.days.map(({ date, tokens }) => ({ startDate: `${date}T00:00:00.000Z`, tokens })),
      range,
    ),
    queue,
    keys: keys.data,
  };
}

const DAY_MS = 86_400_000;

/** A day in UTC, by which credits and limits are counted: today, or so many days before. */
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Days that are shown at least, so that the first day of a team does not look like all of its time. */
const MIN_DAYS = 14;

/** Adds the periods without usage, which the API leaves out, from the first one until today. */
function withGaps(periods: CreditPeriod[], range: string): CreditPeriod[] {
  const known = new Map(periods.map((period) => [period.startDate, period]));
  const all: CreditPeriod[] = [];
  const earliest = `${dayBefore(MIN_DAYS - 1)}T00:00:00.000Z`;
  let start = periods[0]?.startDate;
  if (range === 'day' && start !== undefined && start > earliest) start = earliest;
  while (start !== undefined && Date.parse(start) <= Date.now()) {
    const end = new Date(start);
    if (range === 'hour') end.setUTCHours(end.getUTCHours() + 1);
    else if (range === 'month') end.setUTCMonth(end.getUTCMonth() + 1);
    else end.setUTCDate(end.getUTCDate() + (range === 'week' ? 7 : 1));
    const endDate = end.toISOString();
    all.push(known.get(start) ?? { startDate: start, endDate, creditsUsed: 0 });
    start = endDate;
  }
  return all;
}

/** Puts the credits and the tokens of each period together, oldest first. */
const joinPeriods = (periods: CreditPeriod[], tokens: ModelHours['periods'], range: string): Period[] =>
  periods.map(({ startDate, endDate, creditsUsed }) => ({
    date: range === 'hour' ? `${startDate.slice(0, 16).replace('T', ' ')} UTC` : startDate.slice(0, 10),
    credits: creditsUsed,
    tokens: tokens
      .filter((each) => each.startDate >= startDate && each.startDate < endDate)
      .reduce((sum, each) => sum + each.tokens, 0),
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
    ${value && html`<${Balance} usage=${value} /><${Consumption} usage=${value} range=${range} /><${PageUsage} /><${KeyUsage} /><${ModelUsage} /><${Limits} /><${Keys} keys=${value.keys} />`}`;
}

function Balance({ usage: { today, yesterday, remaining, planned, models, queue } }: { usage: Usage }) {
  return html`
    <dl class="figures">
      <${Figure} title="Credits today" text=${today.toLocaleString()} note=${`yesterday ${yesterday.toLocaleString()}`} />
      ${
        remaining === UNLIMITED
          ? html`<${Figure} title="Credits left" text="unlimited" />`
          : html`<${Figure} title="Credits left" text=${remaining.toLocaleString()} note=${`of ${planned.toLocaleString()}`} />`
      }
      <${Figure}
        title="Model tokens today" text=${(models.days.find(({ date }) => date === dayBefore(0))?.tokens ?? 0).toLocaleString()}
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
  const bars: Bar[] = rows.map(({ date, credits }) => ({ label: date, value: credits }));
  return html`
    <section class="card" aria-label="Consumption">
      <div class="bar">
        <h2>Credits</h2>
        <select aria-label="Period" onChange=${(event: Event) => setQuery({ range: (event.currentTarget as HTMLSelectElement).value })}>
          ${Object.entries(RANGES).map(([value, title]) => html`<option value=${value} selected=${value === range}>${title}</option>`)}
        </select>
        <a class="button" href=${`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download=${`usage-by-${range}.csv`}>CSV of all</a>
      </div>
      ${
        rows.length
          ? html`
              <${BarChart} bars=${bars} textOf=${(value: number) => count(value, 'credit')} />
              <details open><summary>As a table</summary>
                <table><thead><tr><th scope="col">From</th><th scope="col" class="number">Credits</th><th scope="col" class="number">Model tokens</th></tr></thead>
                <tbody>${rows
                  .filter(({ credits, tokens }) => credits > 0 || tokens > 0)
                  .toReversed()
                  .map(
                    ({ date, credits, tokens }) =>
                      html`<tr><td class="when">${date}</td><td class="number">${credits.toLocaleString()}</td><td class="number">${tokens.toLocaleString()}</td></tr>`,
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
