import { html } from 'htm/preact';
import { send } from '../api.ts';
import { usePolling } from '../polling.ts';
import { eventsOf, parseReplay, timeOf } from './replay-entries.ts';

const POLL_MS = 2000;
/** The newest events that are listed. */
const MAX_LISTED = 200;

/**
 * What happens in a session that is recorded, newest first: navigations, console, failed requests, downloads.
 * @param props.path of the session in the API
 */
export function LiveEvents({ path }: { path: string }) {
  const { value, error } = usePolling(
    async (signal) =>
      eventsOf(parseReplay((await send({ path: `${path}/replay?frames=false`, signal })).body)),
    () => POLL_MS,
    path,
  );
  return html`
    <section class="card live-events" aria-label="Events">
      <h2>Events</h2>
      ${error && !value && html`<p class="notice" role="status">${error.message}</p>`}
      ${value && !value.length && html`<p class="about">Nothing has happened yet.</p>`}
      ${
        value &&
        html`<ol class="events" tabindex="0" aria-label="Events, newest first">
          ${value
            .slice(-MAX_LISTED)
            .toReversed()
            .map(
              ({ t, type, title }) =>
                html`<li><code>${timeOf(t)}</code> <b>${type}</b> <span dir="auto">${title}</span></li>`,
            )}
        </ol>`
      }
    </section>`;
}
