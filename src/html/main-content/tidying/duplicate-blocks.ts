import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { oneLine } from '../../text.ts';
import { allTypesExcept, type PrunedPage, type Stage } from '../stage.ts';

/** Shorter blocks may repeat by chance. Characters that are not blank. */
const MIN_BLOCK_LENGTH = 40;
/** Longer blocks are compared child by child. */
const MAX_BLOCK_LENGTH = 3_000;
/** Elements that are compared as a whole. */
const COMPARED_AS_WHOLE = new Set(['ul', 'ol', 'dl', 'table']);
/** Elements in which equal texts are separate values. */
const MAY_REPEAT = new Set(['td', 'th', 'tr', 'li', 'pre', 'code']);

/**
 * Drops blocks that repeat an earlier block, for example for small screens or in every slide. Threads and documentation
 * repeat text on purpose.
 */
export const duplicateBlocksStage: Stage = {
  name: 'drop duplicate blocks',
  types: allTypesExcept('forum', 'documentation'),
  run({ root, pruned }) {
    dropDuplicateBlocks(root, pruned);
  },
};

function dropDuplicateBlocks(root: Element, { remaining, dropped }: PrunedPage): void {
  const seen = new Set<string>();
  const visit = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child) || dropped.has(child) || MAY_REPEAT.has(child.name)) continue;
      const length = remaining.get(child)?.length ?? 0;
      if (length < MIN_BLOCK_LENGTH) continue;
      if (
        length > MAX_BLOCK_LENGTH ||
        !(COMPARED_AS_WHOLE.has(child.name) || isParagraph(child, remaining))
      ) {
        visit(child);
        continue;
      }
      const text = oneLine(textContent(child));
      if (seen.has(text)) dropped.add(child);
      seen.add(text);
    }
  };
  visit(root);
}

/** Whether an element has prose that is not inside a child element. */
function isParagraph(element: Element, remaining: PrunedPage['remaining']): boolean {
  const hasProse = (one: Element) => (remaining.get(one)?.prose ?? 0) > 0;
  return hasProse(element) && !element.children.some((child) => isTag(child) && hasProse(child));
}
