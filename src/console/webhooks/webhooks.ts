import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { place, setQuery } from '../router.ts';
import { useAction } from '../use-action.ts';

interface Delivery {
  id: string;
  jobId: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  responseStatus: number | null;
  error: string | null;
  createdAt: string;
  nextAttemptAt: string | null;
}

const POLL_MS = 5000;
const STATES = ['pending', 'delivered', 'failed'];
/** The colours of states, which are those of jobs. */
const COLOURS = { pending: 'scraping', delivered: 'completed', failed: 'failed' };

/** The events that were sent to webhooks, newest first, and those that are still to be sent. */
export function Webhooks() {
  const status = place.value.query.get('status') ?? '';
  const { fault, count: sent, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => {
      const path = `/v2/webhooks/deliveries?limit=100${status && `&status=${status}`}`;
      return (await send<{ data: Delivery[] }>({ path, signal })).body.data;
    },
    () => POLL_MS,
    status,
    sent,
  );
  const redeliver = (id: string) => run({ method: 'POST', path: `/v2/webhooks/deliveries/${id}/redeliver` });
  return html`
    <h1>Webhooks</h1>
    <form class="filters" role="search">
      <label>State
        <select onChange=${(event: Event) => setQuery({ status: (event.currentTarget as HTMLSelectElement).value })}>
          <option value="">all</option>
          ${STATES.map((state) => html`<option value=${state} selected=${state === status}>${state}</option>`)}
        </select>
      </label>
    </form>
    ${(error?.message ?? fault) && html`<p class="error" role="alert">${error?.message ?? fault}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the deliveries…</p>`}
    ${
      value &&
      (value.length
        ? html`<${Deliveries} deliveries=${value} onRedeliver=${redeliver} />`
        : html`<div class="empty"><p>No event was sent. Batches, crawls, extracts and agents that are begun with a <code>webhook</code> send them.</p></div>`)
    }`;
}

const Deliveries = ({
  deliveries,
  onRedeliver,
}: {
  deliveries: Delivery[];
  onRedeliver: (id: string) => void;
}) => html`
  <div class="wide" tabindex="0" role="region" aria-label="Deliveries">
    <table class="jobs">
      <thead><tr>
        <th scope="col">State</th><th scope="col">Event</th><th scope="col">Last attempt</th>
        <th scope="col" class="number">Attempts</th><th scope="col" class="number">Written</th><th scope="col"><span class="hidden">Action</span></th>
      </tr></thead>
      <tbody>${deliveries.map(
        ({ id, jobId, type, status, attempts, responseStatus, error, createdAt, nextAttemptAt }) => html`
          <tr key=${id}>
            <td><span class=${`state ${COLOURS[status]}`}>${status}</span></td>
            <td>${type}<br /><small>job ${jobId}</small></td>
            <td class="target">${responseStatus === null ? '' : `HTTP ${responseStatus} `}${error && html`<small class="error">${error}</small>`}
              ${nextAttemptAt && html`<small>next ${ago(nextAttemptAt)}</small>`}</td>
            <td class="number">${attempts}</td>
            <td class="number">${ago(createdAt)}</td>
            <td><button type="button" onClick=${() => onRedeliver(id)} aria-label=${`Send again: ${type} of ${createdAt}`}>Send again</button></td>
          </tr>`,
      )}</tbody>
    </table>
  </div>`;
