import { html } from 'htm/preact';
import { send } from '../api.ts';
import { BarChart } from '../elements/bar-chart.ts';
import { duration } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { Hosts } from './hosts.ts';
import type { JobPace } from './job-pace.ts';

const POLL_MS = 3000;
/** The last fetches of a job are counted a little after its end. */
const IDLE_MS = 10_000;

/** How fast a batch or crawl is, over its time and by its hosts. */
export function Pace({ path, isRunning }: { path: string; isRunning: boolean }) {
  const { value, error } = usePolling(
    async (signal) => (await send<JobPace>({ path: `${path}/hosts`, signal })).body,
    () => (isRunning ? POLL_MS : IDLE_MS),
    `${path} ${isRunning}`,
  );
  if (error && !value) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="waiting" role="status"><span class="spinner" />Reading the pace…</p>`;
  return html`<${Speed} progress=${value.progress} /><${Hosts} hosts=${value.hosts} />`;
}

/** Bars of the plot. */
const MAX_BARS = 40;
const MIN_BAR_MS = 250;

/** Pages per second over the time of a job. */
function Speed({ progress }: Pick<JobPace, 'progress'>) {
  const points = progress.map(({ documents, at }) => ({ documents, ms: Date.parse(at) }));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || last.ms === first.ms) return null;
  const length = last.ms - first.ms;
  const number = Math.max(1, Math.min(MAX_BARS, Math.floor(length / MIN_BAR_MS)));
  const barMs = length / number;
  const bars = Array.from({ length: number }, (_, index) => {
    const from = first.ms + index * barMs;
    const value = ((documentsAt(points, from + barMs) - documentsAt(points, from)) * 1000) / barMs;
    return { label: duration(from - first.ms), value };
  });
  return html`
    <section class="card" aria-label="Pages per second">
    <h2>Pages per second</h2>
    <${BarChart} bars=${bars} textOf=${(value: number) => `${value.toFixed(1)} pages per second`} />
    </section>`;
}

/** How many documents there were at a time, between two known times in proportion. */
function documentsAt(points: { documents: number; ms: number }[], ms: number): number {
  const next = points.findIndex((point) => point.ms >= ms);
  const [before, after] = [points[next - 1], points[next]];
  if (!after) return points.at(-1)?.documents ?? 0;
  if (!before || after.ms === before.ms) return after.documents;
  const share = (ms - before.ms) / (after.ms - before.ms);
  return before.documents + share * (after.documents - before.documents);
}
