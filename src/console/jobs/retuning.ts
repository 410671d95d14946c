import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { type ApiRequest, send } from '../api.ts';
import { usePolling } from '../polling.ts';
import type { JobPace } from './job-pace.ts';

/** Seconds between two pages at most, as the API takes it. */
const MAX_DELAY = 60;

/** Sliders for how quickly a running batch or crawl goes on, and how far a crawl goes. */
export function Retuning(options: {
  path: string;
  isCrawl: boolean;
  onSend: (request: ApiRequest) => Promise<void>;
}) {
  const isOpen = useSignal(false);
  return html`
    <details onToggle=${(event: Event) => {
      isOpen.value = (event.currentTarget as HTMLDetailsElement).open;
    }}>
      <summary>Change its pace</summary>
      ${isOpen.value && html`<${Sliders} ...${options} />`}
    </details>`;
}

function Sliders({ path, isCrawl, onSend }: Parameters<typeof Retuning>[0]) {
  const { value, error } = usePolling(
    async (signal) => {
      const [pace, team] = await Promise.all([
        send<JobPace>({ path: `${path}/hosts`, signal }),
        send<{ maxConcurrency: number }>({ path: '/v2/concurrency-check', signal }),
      ]);
      return { ...pace.body, most: team.body.maxConcurrency };
    },
    () => undefined,
    path,
  );
  if (error) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="waiting" role="status"><span class="spinner" />Reading its limits…</p>`;
  const { maxConcurrency, delay, limit, most } = value;
  const retune = (body: object) => onSend({ method: 'POST', path: `${path}/retune`, body });
  return html`
    <div class="retuning">
      <${Slider} label="Pages at once" min=${1} max=${Math.max(most, maxConcurrency ?? 1)} value=${maxConcurrency ?? most}
        onChange=${(chosen: number) => retune({ maxConcurrency: chosen })} />
      <${Slider} label="Seconds between two pages" min=${0} max=${MAX_DELAY} step=${0.5} value=${delay ?? 0}
        onChange=${(chosen: number) => retune({ delay: chosen })} />
      ${
        isCrawl &&
        html`
          <label>Pages at most
            <input type="number" min="1" max="10000000" value=${limit ?? ''} onChange=${(event: Event) => {
              const { valueAsNumber } = event.currentTarget as HTMLInputElement;
              if (valueAsNumber >= 1) void retune({ limit: valueAsNumber });
            }} />
          </label>`
      }
    </div>`;
}

/** A slider with its value beside it, which is sent when it is let go. */
function Slider({
  label,
  min,
  max,
  step = 1,
  value,
  onChange,
}: {
  label: string;
  min: number;
  max: number;
  step?: number;
  value: number;
  onChange: (value: number) => void;
}) {
  const chosen = useSignal(value);
  const read = (event: Event) => (event.currentTarget as HTMLInputElement).valueAsNumber;
  return html`
    <label>${label} <b>${chosen.value.toLocaleString()}</b>
      <input type="range" min=${min} max=${max} step=${step} value=${chosen.value}
        onInput=${(event: Event) => {
          chosen.value = read(event);
        }}
        onChange=${(event: Event) => onChange(read(event))} />
    </label>`;
}
