import { html } from 'htm/preact';
import { send } from '../api.ts';
import { duration } from '../elements/format.ts';
import { usePolling } from '../polling.ts';

/** The pace of a batch or crawl, as `GET …/hosts` returns it. */
export interface JobPace {
  limit: number | null;
  maxConcurrency: number | null;
  delay: number | null;
  hosts: {
    host: string;
    requests: number;
    averageMs: number | null;
    pausedUntil: string | null;
    robotsUntil: string | null;
  }[];
}

const POLL_MS = 3000;
/** The last fetches of a job are counted a little after its end. */
const IDLE_MS = 10_000;

/** The hosts of a batch or crawl: who is slow, who asked to slow down, whose robots.txt is waited for. */
export function Hosts({ path, isRunning }: { path: string; isRunning: boolean }) {
  const { value, error } = usePolling(
    async (signal) => (await send<JobPace>({ path: `${path}/hosts`, signal })).body,
    () => (isRunning ? POLL_MS : IDLE_MS),
    `${path} ${isRunning}`,
  );
  if (error && !value) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="waiting" role="status"><span class="spinner" />Reading the hosts…</p>`;
  const { hosts } = value;
  if (!hosts.length)
    return html`<div class="empty"><p>No host has been measured yet. With zero data retention, none is.</p></div>`;
  const slowest = Math.max(1, ...hosts.map(({ averageMs }) => averageMs ?? 0));
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Hosts">
      <table class="hosts">
        <thead><tr>
          <th scope="col">Host</th><th scope="col" class="number">Fetches</th>
          <th scope="col" class="number">A fetch takes</th><th scope="col"><span class="hidden">Compared</span></th><th scope="col">Waits</th>
        </tr></thead>
        <tbody>
          ${hosts.map(
            ({ host, requests, averageMs, ...waits }) => html`
              <tr key=${host}>
                <th scope="row" dir="auto">${host}</th>
                <td class="number">${requests.toLocaleString()}</td>
                <td class="number">${averageMs === null ? '' : duration(averageMs)}</td>
                <td class="lane"><span style=${{ width: `${(100 * (averageMs ?? 0)) / slowest}%` }} /></td>
                <td>${waitOf(waits)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

type Waits = Pick<JobPace['hosts'][number], 'pausedUntil' | 'robotsUntil'>;

function waitOf({ pausedUntil, robotsUntil }: Waits): string {
  const left = (time: string) => duration(Math.max(0, Date.parse(time) - Date.now()));
  if (robotsUntil !== null) return `for robots.txt, which is asked for again in ${left(robotsUntil)}`;
  return pausedUntil === null ? '' : `asked to slow down, for another ${left(pausedUntil)}`;
}
