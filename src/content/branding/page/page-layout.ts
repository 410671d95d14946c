import { pageFunction } from '../../open-page/page-function.ts';
import { PageLayout, type Region } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: collects column counts, content widths and landmark heights.
 * @param limit most different columns and widths
 */
export const collectPageLayout = pageFunction(PageLayout, (limit: number, dom): PageLayout => {
  const elements = dom.keep<VisibleElement[]>('visibleElements', () => []);
  /** CSS pixels; smaller boxes are buttons and labels, not columns. */
  const [MIN_COLUMN_WIDTH, MIN_COLUMN_HEIGHT] = [80, 60];
  /** CSS pixels; a `max-width` outside this range limits a paragraph or an image, not the page's content. */
  const [MIN_CONTENT_WIDTH, MAX_CONTENT_WIDTH] = [480, 2560];
  /** Relative difference in width up to which columns count as equal. */
  const WIDTH_TOLERANCE = 0.05;
  const columns = new Map<number, number>();
  const widths = new Map<number, number>();
  const add = (sums: Map<number, number>, key: number, area: number) => {
    if (sums.has(key) || sums.size < limit) sums.set(key, (sums.get(key) ?? 0) + area);
  };

  const childrenByParent = new Map<number, VisibleElement[]>();
  for (const [index, item] of elements.entries()) {
    if (!item.area || item.parent === index) continue;
    const siblings = childrenByParent.get(item.parent);
    if (siblings) siblings.push(item);
    else childrenByParent.set(item.parent, [item]);
  }
  const countColumns = (siblings: VisibleElement[]) => {
    const [first] = siblings;
    if (!first || first.width < MIN_COLUMN_WIDTH || first.height < MIN_COLUMN_HEIGHT) return 0;
    return siblings.filter(
      ({ top, width }) =>
        Math.abs(top - first.top) < 2 && Math.abs(width - first.width) <= WIDTH_TOLERANCE * first.width,
    ).length;
  };
  for (const [index, { style, area, region }] of elements.entries()) {
    if (!area || region !== 'content') continue;
    const maxWidth = /px$/.test(style.maxWidth) ? Math.round(Number.parseFloat(style.maxWidth)) : 0;
    if (maxWidth >= MIN_CONTENT_WIDTH && maxWidth <= MAX_CONTENT_WIDTH) add(widths, maxWidth, area);
    if (!/^(inline-)?(grid|flex)$/.test(style.display)) continue;
    const count = countColumns(childrenByParent.get(index) ?? []);
    if (count > 1) add(columns, count, area);
  }

  const heightOf = (region: Region) => {
    const landmark = elements.find(
      (item) => item.area && item.region === region && elements[item.parent]?.region !== region,
    );
    return landmark && Math.round(landmark.height);
  };
  const headerHeight = heightOf('header') ?? heightOf('navigation');
  const footerHeight = heightOf('footer');
  return {
    columns: [...columns],
    widths: [...widths],
    ...(headerHeight && { headerHeight }),
    ...(footerHeight && { footerHeight }),
  };
});
