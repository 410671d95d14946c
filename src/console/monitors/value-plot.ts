import { html } from 'htm/preact';

/** A number at a time. */
export interface PlotPoint {
  checkedAt: string;
  value: number;
}

const WIDTH = 800;
const HEIGHT = 180;
const AXIS = 20;
const EDGE = 6;

/** A plot of a value over time. It stays as it is until the next check, so that it is drawn in steps. */
export function ValuePlot({ name, points }: { name: string; points: PlotPoint[] }) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [begin, end] = [Date.parse(first.checkedAt), Date.parse(last.checkedAt)];
  const xOf = (time: string) =>
    EDGE + ((Date.parse(time) - begin) / Math.max(1, end - begin)) * (WIDTH - 2 * EDGE);
  const yOf = (value: number) =>
    AXIS + (1 - (most === least ? 0.5 : (value - least) / (most - least))) * (HEIGHT - AXIS - EDGE);
  const steps = points.map(({ checkedAt, value }, index) => {
    const to = `${xOf(checkedAt).toFixed(1)} ${yOf(value).toFixed(1)}`;
    return index === 0 ? `M${to}` : `H${xOf(checkedAt).toFixed(1)} L${to}`;
  });
  const dateOf = (time: string) => new Date(time).toLocaleDateString();
  return html`
    <svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT + AXIS}`} role="img"
      aria-label=${`${name}: ${points.length} checks, from ${least.toLocaleString()} to ${most.toLocaleString()}, now ${last.value.toLocaleString()}`}>
      <line x1="0" x2=${WIDTH} y1=${HEIGHT} y2=${HEIGHT} />
      <path d=${steps.join(' ')} />
      ${points.map(
        ({ checkedAt, value }) => html`
          <circle cx=${xOf(checkedAt)} cy=${yOf(value)} r="4"><title>${new Date(checkedAt).toLocaleString()}: ${value.toLocaleString()}</title></circle>`,
      )}
      <text x="0" y="12">${least === most ? least.toLocaleString() : `${least.toLocaleString()} to ${most.toLocaleString()}`}</text>
      <text x="0" y=${HEIGHT + 15}>${dateOf(first.checkedAt)}</text>
      <text x=${WIDTH} y=${HEIGHT + 15} text-anchor="end">${dateOf(last.checkedAt)}</text>
    </svg>`;
}

/** A number in a value, such as that of the price `1.299,00 €`; undefined if it has none, or several. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const [found, other] = typeof value === 'string' ? (value.match(/-?\d[\d.,]*/g) ?? []) : [];
  if (found === undefined || other !== undefined) return undefined;
  // The last sign is that of the decimals unless three digits follow it.
  const decimals = /[.,](\d{1,2}|\d{4,})$/.exec(found)?.[1];
  const whole = (decimals === undefined ? found : found.slice(0, -decimals.length - 1)).replace(/[.,]/g, '');
  const number = Number(decimals === undefined ? whole : `${whole}.${decimals}`);
  return Number.isFinite(number) ? number : undefined;
}
