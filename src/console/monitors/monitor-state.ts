import { html } from 'htm/preact';
import type { Monitor } from './monitor-resources.ts';

/** The state of a monitor, in words and by a colour. */
export function MonitorState({ monitor: { status, currentCheckId } }: { monitor: Monitor }) {
  if (currentCheckId) return html`<span class="state scraping">Checking</span>`;
  return status === 'paused'
    ? html`<span class="state paused">Paused</span>`
    : html`<span class="state completed">Active</span>`;
}
