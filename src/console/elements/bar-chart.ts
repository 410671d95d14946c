import { html } from 'htm/preact';
import { count } from './format.ts';

/** One bar of a plot. */
export interface Bar {
  label: string;
  value: number;
}

const WIDTH = 800;
const HEIGHT = 180;
const AXIS = 20;

/**
 * A plot of bars with its largest value and its ends as labels. Each bar says its value when it is pointed
 * at.
 * @param textOf a value with its unit
 */
export function BarChart({ bars, textOf }: { bars: Bar[]; textOf: (value: number) => string }) {
  // Bars of nothing have no height.
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const step = WIDTH / Math.max(bars.length, 30);
  const [first, last] = [bars[0], bars.at(-1)];
  return html`
    <svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT + AXIS}`} role="img"
      aria-label=${`${count(bars.length, 'period')}, at most ${textOf(largest)} in one`}>
      <line x1="0" x2=${WIDTH} y1=${HEIGHT} y2=${HEIGHT} />
      ${bars.map(({ label, value }, index) => {
        const height = Math.max((value / largest) * (HEIGHT - AXIS), value ? 2 : 0);
        return html`
          <rect x=${index * step + step * 0.1} y=${HEIGHT - height} width=${step * 0.8} height=${height} rx="2">
            <title>${label}: ${textOf(value)}</title>
          </rect>`;
      })}
      <text x="0" y="12">${textOf(largest)}</text>
      ${first && html`<text x="0" y=${HEIGHT + 15}>${first.label}</text>`}
      ${last && last !== first && html`<text x=${bars.length * step} y=${HEIGHT + 15} text-anchor="end">${last.label}</text>`}
    </svg>`;
}
