import { type Element, isTag } from 'domhandler';

export const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Elements that are lines of their own and need no other rule. */
export const LINES: ReadonlySet<string> = new Set(
  `address article aside body button caption center col colgroup dd details dialog div dl dt fieldset figcaption figure footer
  form frameset header hgroup html legend main nav noframes noscript optgroup option p search section summary tbody td
  tfoot th thead tr`.split(/\s+/),
);

/** What is more than lines; items of a list in a link are lines of it. */
const BLOCKS = new Set(['pre', 'blockquote', 'table', 'listing', 'xmp']);
const MORE_LINES = new Set(['ul', 'ol', 'menu', 'dir', 'li', 'hr']);

/** What has no place in markdown, with all that is inside. */
export const SKIPPED: readonly string[] =
  `svg canvas iframe object embed audio video select datalist textarea map script style template head
  title`.split(/\s+/);

const IGNORED: ReadonlySet<string> = new Set(SKIPPED);

/** What an element has inside: a heading, other blocks of markdown, lines, or none of these. The first one that is so. */
export function holdsBlocks(element: Element): 'heading' | 'blocks' | 'lines' | 'none' {
  let found: 'blocks' | 'lines' | 'none' = 'none';
  const stack: Element[] = [element];
  for (let top = stack.pop(); top; top = stack.pop()) {
    for (const child of top.children) {
      if (!isTag(child) || IGNORED.has(child.name)) continue;
      if (HEADINGS.has(child.name) && child.children.length > 0) return 'heading';
      if (BLOCKS.has(child.name)) found = 'blocks';
      else if (found === 'none' && (LINES.has(child.name) || MORE_LINES.has(child.name))) found = 'lines';
      if (child.children.length > 0) stack.push(child);
    }
  }
  return found;
}
