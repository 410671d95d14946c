import type { ChildNode, Document, Element } from 'domhandler';
import type { Decisions } from './main-content/evidence/sign.ts';
import { countNonBlanks } from './main-content/page-index/element-measures.ts';
import { hasAttributes, isTag, isText } from './nodes.ts';
import { isNeverShown } from './text.ts';

/** The decimal places of a share. */
const PRECISION = 1_000;

/**
 * The share of the text that readers see on a page that was kept.
 * @param kept the parts of the page that were kept
 * @param decisions what the main-content filter dropped. What is hidden from readers does not count as text
 *     of the page.
 * @returns from 0 to 1, and 1 for a page without text
 */
export function contentShare(page: Document, kept: Document, decisions?: Decisions): number {
  const hidden = new Set<ChildNode>();
  const dropped = new Set<ChildNode>();
  for (const [element, signs] of decisions?.entries() ?? []) {
    if (signs.some(({ kind }) => kind === 'hidden')) hidden.add(element);
    else dropped.add(element);
  }
  const visible = lengthOf(page.children, { hidden, dropped, isInDropped: false });
  if (visible === 0) return 1;
  const left = lengthOf(kept.children, { hidden: NOTHING, dropped: NOTHING, isInDropped: false });
  return Math.min(1, Math.round((PRECISION * left) / visible) / PRECISION);
}

const NOTHING: ReadonlySet<ChildNode> = new Set();

/** What is not counted, and what was dropped for another reason, in which nothing was judged. */
interface Hidden {
  hidden: ReadonlySet<ChildNode>;
  dropped: ReadonlySet<ChildNode>;
  isInDropped: boolean;
}

/** The characters of a text that are not blank. Recursion is safe, because the parser limits the depth. */
function lengthOf(nodes: readonly ChildNode[], around: Hidden): number {
  const { hidden, dropped, isInDropped } = around;
  let length = 0;
  for (const node of nodes) {
    if (isText(node)) length += countNonBlanks(node.data);
    else if (isTag(node) && !isNeverShown(node.name) && !hidden.has(node)) {
      if (isInDropped && isHiddenByMarkup(node)) continue;
      const isDropped = !isInDropped && dropped.has(node);
      length += lengthOf(node.children, isDropped ? { ...around, isInDropped: true } : around);
    }
  }
  return length;
}

/** Whether the attributes of an element say that readers do not see it. */
const isHiddenByMarkup = (element: Element) =>
  hasAttributes(element) &&
  (element.attribs.hidden !== undefined || /display:\s*none/i.test(element.attribs.style ?? ''));
