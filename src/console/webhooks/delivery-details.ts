import { html } from 'htm/preact';
import { send } from '../api.ts';
import { HttpStatus } from '../elements/http-status.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { usePolling } from '../polling.ts';

/** A delivery with its event, as `GET /v2/webhooks/deliveries/{id}` has it. */
interface DeliveryWithEvent {
  attempts: number;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  event: Record<string, unknown> | null;
}

/** An event and its response change only by another attempt, for which the list looks more often. */
const POLL_MS = 60_000;

/**
 * The body of an event, and what its receiver responded.
 * @param attempts how often it was sent by now
 */
export function DeliveryDetails({ id, attempts }: { id: string; attempts: number }) {
  const { value, error } = usePolling(
    async (signal) =>
      (await send<{ data: DeliveryWithEvent }>({ path: `/v2/webhooks/deliveries/${id}`, signal })).body.data,
    () => POLL_MS,
    `${id} ${attempts}`,
  );
  return html`
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the event…</p>`}
    ${
      value &&
      html`
        <div class="exchange">
          <section><h2>Event</h2>
            ${
              value.event
                ? html`<${JsonTree} value=${value.event} />`
                : html`<p class="about">It is not kept: its document has expired, or the job has zero data retention.</p>`
            }</section>
          <section><h2>Response${value.responseStatus !== null && html` <${HttpStatus} status=${value.responseStatus} />`}</h2>
            ${value.responseStatus === null && value.error && html`<p class="error">${value.error}</p>`}
            ${value.responseBody ? html`<pre dir="auto">${value.responseBody}</pre>` : html`<p class="about">${absence(value)}</p>`}</section>
        </div>`
    }`;
}

/** Why there is no response to show. */
function absence({ attempts, responseStatus, responseBody }: DeliveryWithEvent): string {
  if (attempts === 0) return 'It was not sent yet.';
  if (responseStatus === null) return 'There was none.';
  return responseBody === null ? 'Its body was not kept.' : 'Its body is empty.';
}
