import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import { useAction } from '../use-action.ts';
import { DeliveryDetails } from './delivery-details.ts';

/** An event that was sent to a webhook, or is still to be sent. */
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
/** Events that are listed at once. */
const MAX_EVENTS = 100;
/** The colours of states, which are those of jobs. */
const COLOURS = { pending: 'scraping', delivered: 'completed', failed: 'failed' };

/** The events of a job. */
export const JobDeliveries = ({ jobId }: { jobId: string }) => html`
  <${Deliveries} filter=${`&jobId=${jobId}`}>
    <p>The job has sent no event. It sends some if it is begun with a <code>webhook</code>.</p>
  <//>`;

/**
 * The events that were sent, newest first.
 * @param filter more of the query of their list
 * @param children what is said where there is none
 */
export function Deliveries({ filter, children }: { filter: string; children?: unknown }) {
  const { fault, count: sent, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => {
      const path = `/v2/webhooks/deliveries?limit=${MAX_EVENTS}${filter}`;
      return (await send<{ data: Delivery[] }>({ path, signal })).body.data;
    },
    () => POLL_MS,
    filter,
    sent,
  );
  const redeliver = (id: string) => run({ method: 'POST', path: `/v2/webhooks/deliveries/${id}/redeliver` });
  return html`
    ${(error?.message ?? fault) && html`<p class="error" role="alert">${error?.message ?? fault}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the deliveries…</p>`}
    ${
      value &&
      (value.length
        ? html`<${DeliveryTable} deliveries=${value} onRedeliver=${redeliver} />`
        : html`<div class="empty">${children}</div>`)
    }`;
}

const DeliveryTable = ({
  deliveries,
  onRedeliver,
}: {
  deliveries: Delivery[];
  onRedeliver: (id: string) => void;
}) => html`
  <div class="wide" tabindex="0" role="region" aria-label="Deliveries">
    <table class="jobs stacked deliveries" role="table">
      <thead role="rowgroup"><tr role="row">
        <th role="columnheader" scope="col">State</th><th role="columnheader" scope="col">Event</th><th role="columnheader" scope="col">Last attempt</th>
        <th role="columnheader" scope="col" class="number">Attempts</th><th role="columnheader" scope="col" class="number">Written</th><th role="columnheader" scope="col"><span class="hidden">Action</span></th>
      </tr></thead>
      <tbody role="rowgroup">${deliveries.map(
        (delivery) =>
          html`<${DeliveryRow} key=${delivery.id} delivery=${delivery} onRedeliver=${onRedeliver} />`,
      )}</tbody>
    </table>
  </div>`;

/** A delivery; on request with what was sent and what came back below it. */
function DeliveryRow({ delivery, onRedeliver }: { delivery: Delivery; onRedeliver: (id: string) => void }) {
  const { id, jobId, type, status, attempts, responseStatus, error, createdAt, nextAttemptAt } = delivery;
  const isOpen = useSignal(false);
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return html`
    <tr role="row">
      <td role="cell"><span class=${`state ${COLOURS[status]}`}>${status}</span></td>
      <td role="cell">${type}<br /><small>${jobLink(type, jobId)}</small></td>
      <td class="target" role="cell">${responseStatus === null ? '' : `HTTP ${responseStatus} `}${error && html`<small class="error">${error}</small>`}
        ${nextAttemptAt && html`<small>next ${ago(nextAttemptAt)}</small>`}</td>
      <td class="number" role="cell" data-unit=${attempts === 1 ? 'attempt' : 'attempts'}>${attempts}</td>
      <td class="number" role="cell">${ago(createdAt)}</td>
      <td role="cell">
        <button type="button" aria-expanded=${isOpen.value} onClick=${toggle} aria-label=${`${isOpen.value ? 'Hide' : 'Show'} what was sent: ${type} of ${createdAt}`}>${isOpen.value ? 'Hide' : 'Show'}</button>
        <button type="button" onClick=${() => onRedeliver(id)} aria-label=${`Send again: ${type} of ${createdAt}`}>Send again</button>
      </td>
    </tr>
    ${
      isOpen.value &&
      html`<tr class="details" role="row"><td colspan="6" role="cell"><${DeliveryDetails} id=${id} attempts=${attempts} /></td></tr>`
    }`;
}

/** The kinds of jobs that have a view, by the first word of their events. */
const KINDS = new Set(['crawl', 'batch_scrape', 'extract', 'agent']);

function jobLink(type: string, jobId: string) {
  const [kind = ''] = type.split('.');
  return KINDS.has(kind) ? html`<a href=${`${BASE}/jobs/${kind}/${jobId}`}>job ${jobId}</a>` : `job ${jobId}`;
}
