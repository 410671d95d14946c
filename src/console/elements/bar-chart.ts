import { html } from 'htm/preact';
import { count } from './format.ts';

/** One bar of a plot. */
export interface Bar {
  label: string;
  value: number;
}

/** The field that bars are drawn in, which is stretched over the width that there is. */
const WIDTH = 800;
const HEIGHT = 160;
/** Few bars are as wide as if there were so many. */
const MIN_BARS = 12;

/**
 * A plot of bars with its largest value and its ends as labels. Each bar says its value when it is pointed
 * at.
 * @param textOf a value with its unit
 */
export function BarChart({ bars, textOf }: { bars: Bar[]; textOf: (value: number) => string }) {
  // Bars of nothing have no height.
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const step = WIDTH / Math.max(bars.length, MIN_BARS);
  const [first, last] = [bars[0], bars.at(-1)];
  return html`
    <figure class="bars">
      <small>${textOf(largest)}</small>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
        aria-label=${`${count(bars.length, 'period')}, at most ${textOf(largest)} in one`}>
        ${bars.map(({ label, value }, index) => {
          const height = Math.max((value / largest) * HEIGHT, value ? 2 : 0);
          return html`
            <rect x=${index * step + step * 0.1} y=${HEIGHT - height} width=${step * 0.8} height=${height}>
              <title>${label}: ${textOf(value)}</title>
            </rect>`;
        })}
      </svg>
      <div class="ends" style=${{ width: `${(100 * bars.length * step) / WIDTH}%` }}>
        <small>${first?.label}</small>${last !== first && html`<small>${last?.label}</small>`}
      </div>
    </figure>`;
}
