import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { oneLine } from '../text.ts';
import type { Pruned } from './pruning.ts';

/** Less may well be said twice. Characters that are not blanks. */
const SHORTEST = 40;
/** More is looked at piece by piece. */
const LONGEST = 3_000;
/** What is looked at as a whole. */
const WHOLES = new Set(['ul', 'ol', 'dl', 'table']);
/** In them the same text means something else each time. */
const REPEATING = new Set(['td', 'th', 'tr', 'li', 'pre', 'code']);

/** Drops what an element says again, once more for small screens or in every slide: the first time is kept. */
export function dropRepeats(root: Element, { left, dropped }: Pruned): void {
  const said = new Set<string>();
  const visit = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child) || dropped.has(child) || REPEATING.has(child.name)) continue;
      const length = left.get(child)?.length ?? 0;
      if (length < SHORTEST) continue;
      if (length > LONGEST || !(WHOLES.has(child.name) || isParagraph(child, left))) {
        visit(child);
        continue;
      }
      const text = oneLine(textContent(child));
      if (said.has(text)) dropped.add(child);
      said.add(text);
    }
  };
  visit(root);
}

/** Whether its prose is its own and not that of elements in it. */
function isParagraph(element: Element, left: Pruned['left']): boolean {
  const hasProse = (one: Element) => (left.get(one)?.prose ?? 0) > 0;
  return hasProse(element) && !element.children.some((child) => isTag(child) && hasProse(child));
}
