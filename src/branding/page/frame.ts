import type { Frame, Region } from '../survey.ts';
import type { Left, Seen } from './seen.ts';

/** Runs in the page: how what `seeElements` has found divides it. @param most different columns and widths */
export function surveyFrame(most: number): Frame {
  const all = (globalThis as Left).winnowSeen ?? [];
  /** Narrower or lower things are buttons and labels, not columns. CSS pixels. */
  const [LEAST_WIDTH, LEAST_HEIGHT] = [80, 60];
  /** What limits the content of a page, and not a paragraph or a picture. */
  const [NARROWEST, WIDEST] = [480, 2560];
  /** Of what stands side by side in one width. */
  const SAME_WIDTH = 0.05;
  const columns = new Map<number, number>();
  const widths = new Map<number, number>();
  const add = (sums: Map<number, number>, key: number, area: number) => {
    if (sums.has(key) || sums.size < most) sums.set(key, (sums.get(key) ?? 0) + area);
  };

  const inside = new Map<number, Seen[]>();
  for (const [index, one] of all.entries()) {
    if (!one.area || one.parent === index) continue;
    const siblings = inside.get(one.parent);
    if (siblings) siblings.push(one);
    else inside.set(one.parent, [one]);
  }
  const sideBySide = (things: Seen[]) => {
    const [first] = things;
    if (!first || first.width < LEAST_WIDTH || first.height < LEAST_HEIGHT) return 0;
    return things.filter(
      ({ top, width }) =>
        Math.abs(top - first.top) < 2 && Math.abs(width - first.width) <= SAME_WIDTH * first.width,
    ).length;
  };
  for (const [index, { style, area, region }] of all.entries()) {
    if (!area || region !== 'content') continue;
    const limit = /px$/.test(style.maxWidth) ? Math.round(Number.parseFloat(style.maxWidth)) : 0;
    if (limit >= NARROWEST && limit <= WIDEST) add(widths, limit, area);
    if (!/^(inline-)?(grid|flex)$/.test(style.display)) continue;
    const count = sideBySide(inside.get(index) ?? []);
    if (count > 1) add(columns, count, area);
  }

  const heightOf = (region: Region) => {
    const found = all.find((one) => one.area && one.region === region && all[one.parent]?.region !== region);
    return found && Math.round(found.height);
  };
  const headerHeight = heightOf('header') ?? heightOf('navigation');
  const footerHeight = heightOf('footer');
  return {
    columns: [...columns],
    widths: [...widths],
    ...(headerHeight && { headerHeight }),
    ...(footerHeight && { footerHeight }),
  };
}
