import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { type Check, describeCheck, type Monitor, outcomeOf } from './monitor-resources.ts';

/** Checks that a strip has. */
const MARKS = 12;

/** The last checks of a monitor, oldest first: a mark for each. It reads them again when one begins or ends. */
export function CheckStrip({ monitor: { id, lastRunAt, currentCheckId } }: { monitor: Monitor }) {
  const round = Date.parse(lastRunAt ?? '1970-01-01') + (currentCheckId ? 1 : 0);
  const { value, error } = usePolling(
    async (signal) =>
      (await send<{ data: Check[] }>({ path: `/v2/monitor/${id}/checks?limit=${MARKS}`, signal })).body.data,
    () => undefined,
    id,
    round,
  );
  if (!value) return error && html`<small class="error">${error.message}</small>`;
  const [last] = value;
  if (!last) return html`<small>no check yet</small>`;
  return html`
    <ol class="strip">${value.toReversed().map((check) => {
      const text = `${describeCheck(check)}, ${ago(check.createdAt)}`;
      return html`<li key=${check.id} class=${outcomeOf(check)} title=${text}><span class="hidden">${text}</span></li>`;
    })}</ol>
    <small aria-hidden="true">${describeCheck(last)}</small>`;
}
