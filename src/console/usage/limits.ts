import { html } from 'htm/preact';
import { send } from '../api.ts';
import { usePolling } from '../polling.ts';

/** A limit of the team, and what is used of it. */
interface Limit {
  /** Null is no limit. */
  limit: number | null;
  used: number;
}

/** The limits as people name them, by their names in `GET /v2/team/limits`. */
const TITLES: Record<string, string> = {
  requestsPerMinute: 'Requests in this minute',
  concurrency: 'Pages at a time',
  sessions: 'Browser sessions at a time',
  openJobs: 'Open batches, crawls, agents and extracts',
  monitors: 'Monitors',
  storedMegabytes: 'MiB of results',
  credits: 'Credits',
  modelTokensPerDay: 'Tokens of models today',
};
const POLL_MS = 15_000;
/** From this share on, a limit is shown as nearly reached. */
const NEARLY = 0.9;

/** The limits of the team, and what is left of them. */
export function Limits() {
  const { value, error } = usePolling(
    async (signal) =>
      (await send<{ data: Record<string, Limit> }>({ path: '/v2/team/limits', signal })).body.data,
    () => POLL_MS,
    'limits',
  );
  return html`
    <section class="card" aria-label="Limits">
      <h2>Limits</h2>
      <p class="about">They are those of the team: its keys share them. The operator can change them.</p>
      ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
      ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the limits…</p>`}
      ${
        value &&
        html`
        <div class="wide" tabindex="0" role="region" aria-label="Table of limits">
          <table class="hosts">
            <thead><tr><th scope="col">Limit</th><th scope="col" class="number">Used</th><th scope="col" class="number">Of</th>
              <th scope="col" class="number">Left</th><th scope="col"><span class="hidden">Share</span></th></tr></thead>
            <tbody>${Object.entries(value).map(([name, limit]) => html`<${Row} key=${name} title=${TITLES[name] ?? name} limit=${limit} />`)}</tbody>
          </table>
        </div>`
      }
    </section>`;
}

function Row({ title, limit: { limit, used } }: { title: string; limit: Limit }) {
  const share = limit === null ? 0 : used / Math.max(limit, 1);
  return html`
    <tr>
      <td>${title}</td>
      <td class="number">${limit === null && used === 0 ? '' : used.toLocaleString()}</td>
      <td class="number">${limit === null ? 'no limit' : limit.toLocaleString()}</td>
      <td class="number">${limit !== null && Math.max(0, limit - used).toLocaleString()}</td>
      <td class=${`lane ${share >= NEARLY ? 'refused' : ''}`}><span style=${{ width: `${100 * Math.min(share, 1)}%` }} /></td>
    </tr>`;
}
