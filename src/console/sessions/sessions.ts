import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { CopyButton } from '../elements/copy-button.ts';
import { ago } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import { useAction } from '../use-action.ts';
import { Profiles } from './profiles.ts';

interface Session {
  id: string;
  status: 'active' | 'destroyed';
  cdpUrl: string;
  liveViewUrl: string;
  interactiveLiveViewUrl?: string;
  createdAt: string;
  lastActivity: string;
}

const POLL_MS = 3000;

/** The browser sessions of the team: watch one, connect a program to it, or end it. */
export function Sessions() {
  const { fault, count: acts, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => (await send<{ sessions: Session[] }>({ path: '/v2/browser', signal })).body.sessions,
    () => POLL_MS,
    'sessions',
    acts,
  );
  const problem = fault || error?.message;
  const isRecorded = useSignal(true);
  const open = (profile?: string) =>
    run({
      method: 'POST',
      path: '/v2/browser',
      body: {
        ...(isRecorded.value && { recordSession: true }),
        ...(profile !== undefined && { profile: { name: profile } }),
      },
    });
  return html`
    <div class="bar">
      <h1>Sessions</h1>
      <button type="button" class="primary" onClick=${() => open()}>Open a browser</button>
      <label class="check"><input type="checkbox" checked=${isRecorded.value} onChange=${(event: Event) => {
        isRecorded.value = (event.currentTarget as HTMLInputElement).checked;
      }} /> Record it</label>
      <a href=${`${BASE}/try/browser`}>with options</a>
    </div>
    ${problem && html`<p class="error" role="alert">${problem}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the sessions…</p>`}
    ${
      value &&
      (value.length
        ? html`<${SessionTable} sessions=${value} onEnd=${(id: string) => run({ method: 'DELETE', path: `/v2/browser/${id}` })} />`
        : html`<div class="empty"><p>No browser is open. A session is a browser that can be watched, and driven by Playwright, Puppeteer or code.</p></div>`)
    }
    <${Profiles} onOpen=${open} />`;
}

/**
 * What the browser shows now, small and for the eyes only. The service knows itself under another URL than its
 * users perhaps, so the picture is asked for at the origin of the console.
 */
const Picture = ({ url }: { url: string }) => {
  const { pathname } = new URL(url);
  return html`<iframe class="picture" src=${`${pathname}?toolbar=false&maxFps=1`} title="What the browser shows" loading="lazy" tabindex="-1" inert />`;
};

const SessionTable = ({ sessions, onEnd }: { sessions: Session[]; onEnd: (id: string) => void }) => html`
  <div class="wide" tabindex="0" role="region" aria-label="Browser sessions">
    <table class="jobs">
      <thead><tr><th scope="col">State</th><th scope="col"><span class="hidden">Picture</span></th><th scope="col">Session</th><th scope="col" class="number">Opened</th>
        <th scope="col" class="number">Last activity</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
      <tbody>${sessions.map(
        ({ id, status, cdpUrl, liveViewUrl, interactiveLiveViewUrl, createdAt, lastActivity }) => {
          const view = interactiveLiveViewUrl || liveViewUrl;
          const isActive = status === 'active';
          return html`
          <tr key=${id}>
            <td><span class=${`state ${isActive ? 'scraping' : 'cancelled'}`}>${isActive ? 'open' : 'ended'}</span></td>
            <td>${isActive && liveViewUrl && html`<${Picture} url=${liveViewUrl} />`}</td>
            <td class="target"><a href=${`${BASE}/jobs/browser/${id}`}><code>${id}</code></a></td>
            <td class="number">${ago(createdAt)}</td>
            <td class="number">${ago(lastActivity)}</td>
            <td>${
              isActive &&
              html`<div class="bar">
                ${view && html`<a class="button" href=${view} target="_blank" rel="noopener">Watch</a>`}
                <${CopyButton} text=${cdpUrl} label="CDP URL" />
                <button type="button" aria-label=${`End session ${id}`} onClick=${() => onEnd(id)}>End</button>
              </div>`
            }</td>
          </tr>`;
        },
      )}</tbody>
    </table>
  </div>`;
