import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The height of a row of one line in pixels, which the style sheet does not change. */
export const ROW_PX = 44;
/** The height of both borders of the list in pixels. */
const BORDERS_PX = 2;
/** Rows beyond the visible ones that are drawn, so that a quick turn of a wheel shows no gap. */
const MARGIN = 8;

/**
 * A list of which only the visible rows are in the page, so that a long one scrolls like a short one. Each row
 * has the height `rowPx`; the arrow keys, Page Up, Page Down, Home and End scroll it when it has the focus.
 */
export function VirtualList({
  label,
  total,
  rowPx,
  row,
  onShow,
}: {
  label: string;
  total: number;
  rowPx: number;
  row: (index: number) => ComponentChildren;
  /** Called with the first row that is shown, and the one after the last, when these change. */
  onShow: (from: number, to: number) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const from = useSignal(0);
  const to = useSignal(0);
  const measure = () => {
    if (!list.current) return;
    const { scrollTop, clientHeight } = list.current;
    from.value = Math.max(0, Math.floor(scrollTop / rowPx) - MARGIN);
    to.value = Math.min(total, Math.ceil((scrollTop + clientHeight) / rowPx) + MARGIN);
  };
  useEffect(measure, [total]);
  useEffect(() => onShow(from.value, to.value), [from.value, to.value]);
  return html`
    <ol class="virtual" ref=${list} style=${{ maxHeight: `${total * rowPx + BORDERS_PX}px`, '--digits': total.toLocaleString().length }} tabindex="0" aria-label=${label} onScroll=${measure}>
      <li class="space" aria-hidden="true" style=${{ height: `${total * rowPx}px` }} />
      ${Array.from(
        { length: Math.max(0, Math.min(to.value, total) - from.value) },
        (_, at) => from.value + at,
      ).map(
        (index) => html`
          <li key=${index} aria-setsize=${total} aria-posinset=${index + 1} style=${{ top: `${index * rowPx}px`, height: `${rowPx}px` }}>
            ${row(index)}
          </li>`,
      )}
    </ol>`;
}
