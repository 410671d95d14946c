import { html } from 'htm/preact';
import { duration } from '../elements/format.ts';
import type { JobPace } from './job-pace.ts';

/** The hosts of a batch or crawl: who is slow, who asked to slow down, whose robots.txt is waited for. */
export function Hosts({ hosts }: Pick<JobPace, 'hosts'>) {
  if (!hosts.length)
    return html`<div class="empty"><p>No fetch has ended yet, or all pages came from the cache. With zero data retention, no host is measured.</p></div>`;
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
