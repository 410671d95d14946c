import type { Inline, Style } from './model.ts';

/** Styles that one element can express for several texts and links. */
export type Emphasis = Extract<keyof Style, 'bold' | 'italic' | 'strike'>;

export const EMPHASES: readonly Emphasis[] = ['bold', 'italic', 'strike'];

/** Neighbours that share an emphasis, or one inline without an emphasis that is still to be written. */
export interface EmphasisRun {
  emphasis?: Emphasis;
  content: Inline[];
}

/**
 * Groups inline content into the longest runs that share an emphasis, so that one element surrounds all of
 * them: editors repeat the style on every text, also within links and around code.
 * @param emphases the styles that are still to be written
 */
export function emphasisRuns(content: readonly Inline[], emphases: readonly Emphasis[]): EmphasisRun[] {
  const runs: EmphasisRun[] = [];
  for (let at = 0; at < content.length; ) {
    let best: { emphasis?: Emphasis; end: number } = { end: at + 1 };
    for (const emphasis of emphases) {
      const end = endOfRun(content, at, emphasis);
      if (end > at && (!best.emphasis || end > best.end)) best = { emphasis, end };
    }
    const { emphasis, end } = best;
    runs.push({ ...(emphasis && { emphasis }), content: content.slice(at, end) });
    at = end;
  }
  return runs;
}

/**
 * The place behind the last inline of a run that begins at a place; that place itself if no run begins there.
 */
function endOfRun(content: readonly Inline[], start: number, emphasis: Emphasis): number {
  let end = start;
  for (let at = start; at < content.length; at++) {
    const inline = content[at] as Inline;
    if (has(inline, emphasis)) end = at + 1;
    else if (at === start || !canBridge(inline, emphasis)) break;
  }
  return end;
}

/** Whether all visible text of an inline has an emphasis. */
function has({ kind, text = '', style, content = [] }: Inline, emphasis: Emphasis): boolean {
  if (kind === 'text') return Boolean(style?.[emphasis]) && text.trim() !== '';
  if (kind !== 'link') return false;
  const visible = content.filter(({ kind, text = '' }) => kind !== 'text' || text.trim() !== '');
  return visible.length > 0 && visible.every((inline) => has(inline, emphasis));
}

/**
 * Whether an inline between emphasised ones shows no difference: an anchor, or a space unless it would be
 * struck out.
 */
const canBridge = ({ kind, text = '', style }: Inline, emphasis: Emphasis) =>
  kind === 'anchor' ||
  (kind === 'text' && text.trim() === '' && (emphasis !== 'strike' || Boolean(style?.strike)));
