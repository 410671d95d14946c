import { html } from 'htm/preact';
import type { DownloadSummary } from '../../../schemas/live-view.ts';
import { Icon } from './icons.ts';
import { downloads, settings } from './state.ts';
import { urlBelow } from './uploads.ts';

/** The downloads of the session. Viewers with control can have their files. */
export function DownloadShelf() {
  const all = downloads.value;
  if (!all.length) return null;
  const running = all.filter(({ state }) => state === 'running').length;
  return html`
    <details id="downloads">
      <summary aria-label=${`Downloads: ${all.length}`} title="Downloads"><${Icon} name="download" /><span class="count">${running || all.length}</span></summary>
      <ul class="panel">${all.map((download) => html`<li><${Download} ...${download} /></li>`)}</ul>
    </details>`;
}

function Download({ name, state, receivedBytes, totalBytes }: DownloadSummary) {
  const canOpen = state === 'stored' && settings.mayControl;
  const share = totalBytes ? `${Math.floor((receivedBytes / totalBytes) * 100)} %` : sizeOf(receivedBytes);
  const note = { running: share, stored: sizeOf(receivedBytes), canceled: 'not stored' }[state];
  return html`
    ${
      canOpen
        ? html`<a href=${urlBelow(`downloads/${encodeURIComponent(name)}`)} download=${name}>${name}</a>`
        : html`<span>${name}</span>`
    }
    <small>${note}</small>`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
