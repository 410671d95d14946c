import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { count } from './format.ts';

/** One bar of a plot. */
export interface Bar {
  label: string;
  value: number;
  /** What the value is made of, from the bottom up, by the class of each part. */
  parts?: { name: string; value: number }[];
}

/** The field that bars are drawn in, which is stretched over the width that there is. */
const WIDTH = 800;
const HEIGHT = 160;
/** Few bars are as wide as if there were so many. */
const MIN_BARS = 12;
/** How far keys move the mark. */
const MOVES: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -10,
  PageDown: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * A plot of bars with its largest value and its ends as labels. The bar that is pointed at, or that the arrow keys lead
 * to, says its value above the plot.
 * @param textOf a value with its unit
 */
export function BarChart({ bars, textOf }: { bars: Bar[]; textOf: (value: number) => string }) {
  const marked = useSignal<number | undefined>(undefined);
  // Bars of nothing have no height.
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const step = WIDTH / Math.max(bars.length, MIN_BARS);
  const [first, last] = [bars[0], bars.at(-1)];
  const mark = (index: number) => {
    marked.value = Math.max(0, Math.min(bars.length - 1, index));
  };
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    mark(Math.floor((((event.clientX - left) / width) * WIDTH) / step));
  };
  const move = (event: KeyboardEvent) => {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    mark((marked.value ?? bars.length) + by);
  };
  const leave = () => {
    marked.value = undefined;
  };
  const shown = bars[marked.value ?? -1];
  return html`
    <figure class="bars" onPointerLeave=${leave}>
      <div class="reading"><small>at most ${textOf(largest)}</small><output>${shown && readingOf(shown, textOf)}</output></div>
      <div class="plot" tabindex="0" role="group" aria-label="Bars, which the arrow keys read" onKeyDown=${move} onBlur=${leave} onPointerMove=${point} onPointerDown=${point}>
        <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
          aria-label=${`${count(bars.length, 'period')}, at most ${textOf(largest)} in one`}>
          ${shown && html`<rect class="mark" x=${(marked.value ?? 0) * step} y="0" width=${step} height=${HEIGHT} />`}
          ${bars.map((bar, index) => html`<${BarParts} bar=${bar} largest=${largest} x=${index * step + step * 0.1} width=${step * 0.8} />`)}
        </svg>
      </div>
      <div class="ends" style=${{ width: `${(100 * bars.length * step) / WIDTH}%` }}>
        <small>${first?.label}</small>${last !== first && html`<small>${last?.label}</small>`}
      </div>
    </figure>`;
}

function BarParts({ bar, largest, x, width }: { bar: Bar; largest: number; x: number; width: number }) {
  let top = HEIGHT;
  return (bar.parts ?? [{ name: 'all', value: bar.value }]).map(({ name, value }) => {
    const height = Math.max((value / largest) * HEIGHT, value ? 2 : 0);
    top -= height;
    return html`<rect class=${name} x=${x} y=${top} width=${width} height=${height} />`;
  });
}

/** What a bar says, such as `2026-01-31: 12 pages`. */
function readingOf({ label, value, parts = [] }: Bar, textOf: (value: number) => string): string {
  const others = parts
    .filter((part) => part.value > 0 && part.value < value)
    .map((part) => `${part.value.toLocaleString()} ${part.name.replace('_', ' ')}`);
  return `${label}: ${textOf(value)}${others.length ? ` (${others.join(', ')})` : ''}`;
}
