import { html } from 'htm/preact';
import { type ApiRequest, ownPath } from '../api.ts';
import { CopyButton } from '../elements/copy-button.ts';
import { ago, count, duration } from '../elements/format.ts';
import { LiveEvents } from './live-events.ts';
import { Replay } from './replay.ts';
import { SessionCode } from './session-code.ts';

/** A browser session, as `GET /v2/browser/{id}` returns it. */
export interface Session {
  id: string;
  status: 'active' | 'destroyed';
  cdpUrl: string;
  /** Empty if the session cannot be watched. */
  liveViewUrl: string;
  interactiveLiveViewUrl?: string;
  recordSession: boolean;
  createdAt: string;
  lastActivity: string;
  expiresAt: string;
  endReason?: string;
  sessionDurationMs?: number;
  creditsBilled?: number;
}

/**
 * A browser session: its live view beside its events, code that drives it, and its recording.
 * @param props.path of the session in the API
 * @param props.run sends a request, after which the session is read again
 */
export function SessionView({
  path,
  session,
  run,
}: {
  path: string;
  session: Session;
  run: (request: ApiRequest) => Promise<unknown>;
}) {
  const { id, status, cdpUrl, liveViewUrl, interactiveLiveViewUrl, recordSession } = session;
  const view = interactiveLiveViewUrl || liveViewUrl;
  if (status !== 'active')
    return html`<${SessionEnd} session=${session} />${recordSession && html`<${Replay} path=${path} />`}`;
  return html`
    <div class="bar">
      <p class="facts"><span>opened ${ago(session.createdAt)}</span><span>ends ${ago(session.expiresAt)}</span></p>
      ${view && html`<a class="button" href=${ownPath(view)} target="_blank" rel="noopener">Open the live view in a tab of its own</a>`}
      <${CopyButton} text=${cdpUrl} label="CDP URL" />
      <button type="button" onClick=${() => run({ method: 'POST', path: `${path}/extend`, body: {} })}>Let it live longer</button>
      <button type="button" onClick=${() => run({ method: 'DELETE', path })}>End it</button>
    </div>
    ${
      view
        ? html`
          <div class=${recordSession ? 'watched' : ''}>
            <iframe class="live" src=${ownPath(view)} title="Live view of the session" allow="clipboard-write" />
            ${recordSession && html`<${LiveEvents} path=${path} />`}
          </div>`
        : html`<p class="notice">The session was opened without a live view.</p>`
    }
    <${SessionCode} key=${id} path=${`${path}/execute`} />
    ${recordSession && html`<${Replay} path=${path} />`}`;
}

/** How a session ended, and what it cost. */
const SessionEnd = ({
  session: { createdAt, endReason, sessionDurationMs, creditsBilled },
}: {
  session: Session;
}) => html`
  <p class="notice facts" role="status">
    <span>The session has ended${endReason && html`: <b>${endReason.replaceAll('_', ' ')}</b>`}.</span>
    <span>opened ${ago(createdAt)}</span>
    ${sessionDurationMs !== undefined && html`<span>lasted ${duration(sessionDurationMs)}</span>`}
    ${creditsBilled !== undefined && html`<span>${count(creditsBilled, 'credit')}</span>`}
  </p>`;
