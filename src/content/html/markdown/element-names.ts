import type { Element } from 'domhandler';
import { isTag } from '../nodes.ts';

export const HEADING_ELEMENTS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Elements that begin and end a line and need no other rule. */
export const LINE_ELEMENTS: ReadonlySet<string> = new Set(
  `address article aside body button caption center col colgroup dd details dialog div dl dt fieldset figcaption figure footer
  form frameset header hgroup html legend main nav noframes noscript optgroup option p search section summary tbody td
  tfoot th thead tr`.split(/\s+/),
);

/** Elements that need more than lines. Inside a link, list items count as lines. */
const BLOCK_ELEMENTS = new Set(['pre', 'blockquote', 'table', 'listing', 'xmp']);
const LIST_LINE_ELEMENTS = new Set(['ul', 'ol', 'menu', 'dir', 'li', 'hr']);

/** Elements that markdown cannot express; they are skipped with everything inside them. */
export const SKIPPED_ELEMENTS: readonly string[] =
  `svg canvas iframe object embed audio video select datalist textarea map script style template head
  title`.split(/\s+/);

const SKIPPED_SET: ReadonlySet<string> = new Set(SKIPPED_ELEMENTS);

/**
 * Classifies the content of an element: the first that applies of heading, other blocks, several lines, or
 * inline text only.
 */
export function classifyContent(element: Element): 'heading' | 'blocks' | 'lines' | 'none' {
  let found: 'blocks' | 'lines' | 'none' = 'none';
  const stack: Element[] = [element];
  for (let top = stack.pop(); top; top = stack.pop()) {
    for (const child of top.children) {
      if (!isTag(child) || SKIPPED_SET.has(child.name)) continue;
      if (HEADING_ELEMENTS.has(child.name) && child.children.length > 0) return 'heading';
      if (BLOCK_ELEMENTS.has(child.name)) found = 'blocks';
      else if (found === 'none' && (LINE_ELEMENTS.has(child.name) || LIST_LINE_ELEMENTS.has(child.name)))
        found = 'lines';
      if (child.children.length > 0) stack.push(child);
    }
  }
  return found;
}
