import { html } from 'htm/preact';
import { place, setQuery } from '../router.ts';
import { Deliveries } from './deliveries.ts';

const STATES = ['pending', 'delivered', 'failed'];

/** The events that were sent to webhooks, newest first, and those that are still to be sent. */
export function Webhooks() {
  const status = place.value.query.get('status') ?? '';
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
    <${Deliveries} filter=${status && `&status=${status}`}>
      <p>No event was sent. Batches, crawls, extracts and agents that are begun with a <code>webhook</code> send them.</p>
    <//>`;
}
