import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ReplayEntry } from '../../schemas/replay.ts';
import { ApiError, send } from '../api.ts';
import { eventsOf, parseReplay, timeOf } from './replay-entries.ts';

const SPEEDS = [1, 2, 4, 16];
/** Events that are listed; a session may have thousands. */
const MAX_LISTED = 500;
/** How long the pointer stays where it was, in milliseconds. */
const POINTER_MS = 2_000;
/** How long a press is shown, in milliseconds. */
const PRESS_MS = 500;

/**
 * The recording of a session, which is read when the user asks for it: it may be large.
 * @param props.path of the session in the API
 */
export function Replay({ path }: { path: string }) {
  const entries = useSignal<ReplayEntry[] | undefined>(undefined);
  const fault = useSignal('');
  const isReading = useSignal(false);
  const read = async () => {
    isReading.value = true;
    fault.value = '';
    try {
      entries.value = parseReplay((await send({ path: `${path}/replay` })).body);
    } catch (error) {
      fault.value = error instanceof ApiError ? error.message : 'The recording cannot be read.';
    }
    isReading.value = false;
  };
  return html`
    <section class="card" aria-label="Replay">
      <div class="bar"><h2>Replay</h2>
        <button type="button" disabled=${isReading.value} onClick=${read}>${entries.value ? 'Read it again' : 'Read the recording'}</button>
      </div>
      ${fault.value && html`<p class="error" role="alert">${fault.value}</p>`}
      ${isReading.value && html`<p class="waiting" role="status"><span class="spinner" />Reading the recording…</p>`}
      ${entries.value && (entries.value.length ? html`<${Player} entries=${entries.value} />` : html`<p>Nothing has been recorded.</p>`)}
    </section>`;
}

function Player({ entries }: { entries: ReplayEntry[] }) {
  const at = useSignal(0);
  const speed = useSignal(1);
  const isPlaying = useSignal(false);
  const end = entries.at(-1)?.t ?? 0;
  const frames = useMemo(() => entries.filter((entry) => entry.type === 'frame'), [entries]);
  const pointers = useMemo(() => entries.filter((entry) => entry.type === 'pointer'), [entries]);
  useEffect(() => {
    if (!isPlaying.value) return undefined;
    let last = performance.now();
    let next = requestAnimationFrame(function step(now) {
      at.value = Math.min(end, at.value + (now - last) * speed.value);
      last = now;
      if (at.value < end) next = requestAnimationFrame(step);
      else isPlaying.value = false;
    });
    return () => cancelAnimationFrame(next);
  }, [isPlaying.value, entries]);
  const frame = frames.findLast(({ t }) => t <= at.value) ?? frames[0];
  const pointer = pointers.findLast(({ t }) => t <= at.value);
  // A click of a program presses and releases at once.
  const isPressed = pointers.some(
    ({ t, action }) => action === 'down' && t <= at.value && at.value - t < PRESS_MS,
  );
  const play = () => {
    if (at.value >= end) at.value = 0;
    isPlaying.value = !isPlaying.value;
  };
  return html`
    <div class="replay">
      <div class="screen">
        ${
          frame
            ? html`<img alt="What the browser showed" src=${`data:image/jpeg;base64,${frame.data}`} />`
            : html`<p>No picture was recorded.</p>`
        }
        ${
          frame &&
          pointer &&
          at.value - pointer.t < POINTER_MS &&
          html`<span class=${`pointer ${isPressed ? 'down' : ''}`} style=${{ left: `${(pointer.x / frame.width) * 100}%`, top: `${(pointer.y / frame.height) * 100}%` }} />`
        }
      </div>
      <div class="bar">
        <button type="button" class="primary" onClick=${play}>${isPlaying.value ? 'Pause' : 'Play'}</button>
        <input type="range" aria-label="Time" aria-valuetext=${timeOf(at.value)} min="0" max=${end} step="100" value=${at.value} onInput=${(
          event: Event,
        ) => {
          at.value = Number((event.currentTarget as HTMLInputElement).value);
        }} />
        <span>${timeOf(at.value)} / ${timeOf(end)}</span>
        <label>Speed <select value=${speed.value} onChange=${(event: Event) => {
          speed.value = Number((event.currentTarget as HTMLSelectElement).value);
        }}>${SPEEDS.map((each) => html`<option value=${each}>${each} ×</option>`)}</select></label>
      </div>
      <${EventList} entries=${entries} onJump=${(t: number) => {
        at.value = t;
      }} />
    </div>`;
}

function EventList({ entries, onJump }: { entries: ReplayEntry[]; onJump: (t: number) => void }) {
  const listed = useMemo(() => {
    const events = eventsOf(entries);
    return { shown: events.slice(0, MAX_LISTED), more: Math.max(0, events.length - MAX_LISTED) };
  }, [entries]);
  return html`
    <ol class="events" tabindex="0" aria-label="Events">
      ${listed.shown.map(
        ({ t, type, title }) => html`
          <li><button type="button" class="quiet" onClick=${() => onJump(t)}><code>${timeOf(t)}</code> <b>${type}</b> ${title}</button></li>`,
      )}
      ${listed.more > 0 && html`<li>${listed.more} more</li>`}
    </ol>`;
}
