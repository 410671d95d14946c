import type { Element } from 'domhandler';
import type { ElementMeasure } from '../page-index/element-measures.ts';
import type { Core } from './core.ts';
import { findShape, findWords, hasData } from './shapes.ts';
import type { Sign } from './sign.ts';

/** A block of short lines that are hardly linked is text too if it is as long, such as a list of facts. */
const MIN_LINES = 100;
const MAX_LINKED_SHARE_OF_LINES = 0.3;
/** The elements of a block in which data is looked for. */
const MAX_VISITED = 100;
/** The largest share of the page's running text that two signs drop. */
const MAX_SHARE_BY_TWO = 0.5;
/** A block with a larger share of linked text is a list of links rather than running text. */
const MAX_LINKED_SHARE = 0.4;

/**
 * Decides whether the signs of a block are evidence that it is not content. One sign is enough for what no
 * reader would call running text. Running text needs two signs that do not depend on each other, and three if
 * it is a large part of the page; more signs are looked for in the place of the block, in what it consists
 * of, and in what it says.
 * @param share the block's share of the running text of the page, from 0 to 1
 * @param core the part of the page that has the running text
 * @returns the signs that decide; none if the block is kept
 */
export function judge(
  element: Element,
  measured: ElementMeasure,
  signs: readonly Sign[],
  { share, core }: { share: number; core: Core },
): readonly Sign[] {
  if (signs.length === 0 || signs.some(({ kind }) => kind === 'hidden')) return signs;
  if (!isText(element, measured)) return signs;
  const needed = share > MAX_SHARE_BY_TWO ? 3 : 2;
  const found = [...signs];
  const kinds = new Set(signs.map(({ kind }) => kind));
  for (const look of LOOKS) {
    if (kinds.size >= needed) break;
    const sign = look(element, measured, core);
    if (!sign) continue;
    kinds.add(sign.kind);
    found.push(sign);
  }
  return kinds.size >= needed ? found : [];
}

/**
 * Whether a reader would call a block running text: paragraphs, code, tables and definitions, or a block of
 * lines. What is no text is a label or a line, which one sign decides.
 */
function isText(element: Element, { prose, length, linked, links }: ElementMeasure): boolean {
  if (prose > 0) return true;
  if (length === 0 || linked >= MAX_LINKED_SHARE_OF_LINES * length) return false;
  return length >= MIN_LINES || (links === 0 && hasData(element, MAX_VISITED));
}

/** Where more signs are looked for, the cheapest first. */
const LOOKS: ((element: Element, measured: ElementMeasure, core: Core) => Sign | undefined)[] = [
  (element, _, core) => core.signOf(element),
  (_, { linked, length }) =>
    linked > MAX_LINKED_SHARE * length ? { kind: 'links', detail: 'mostly links' } : undefined,
  (element, measured) => findShape(element, measured),
  findWords,
];
