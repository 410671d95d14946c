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
export function Pace({
  path,
  isRunning,
  began,
  seconds,
}: {
  path: string;
  isRunning: boolean;
  began: string;
  seconds: number;
}) {
  const { value, error } = usePolling(
    async (signal) => (await send<JobPace>({ path: `${path}/hosts`, signal })).body,
    () => (isRunning ? POLL_MS : IDLE_MS),
    `${path} ${isRunning}`,
  );
  if (error && !value) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="waiting" role="status"><span class="spinner" />Reading the pace…</p>`;
  return html`<${Speed} progress=${value.progress} beganMs=${Date.parse(began)} lengthMs=${seconds * 1000} /><${Hosts} hosts=${value.hosts} />`;
}

/** Bars of the plot. */
const MAX_BARS = 40;
const MIN_BAR_MS = 250;

/** Pages per second over the whole time of a job, or until now. */
function Speed({
  progress,
  beganMs,
  lengthMs,
}: Pick<JobPace, 'progress'> & { beganMs: number; lengthMs: number }) {
  const points = [
    { documents: 0, ms: 0 },
    ...progress.map(({ documents, at }) => ({ documents, ms: Date.parse(at) - beganMs })),
  ];
  // The clock of the user may be behind that of the service.
  const endMs = Math.max(lengthMs, points.at(-1)?.ms ?? 0);
  if (points.length < 2 || endMs <= 0) return null;
  const number = Math.max(1, Math.min(MAX_BARS, Math.floor(endMs / MIN_BAR_MS)));
  const barMs = endMs / number;
  const bars = Array.from({ length: number }, (_, index) => {
    const from = index * barMs;
    const to = from + barMs;
    const value = ((documentsAt(points, to) - documentsAt(points, from)) * 1000) / barMs;
    return { label: index + 1 < number ? duration(from) : duration(to), value };
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
