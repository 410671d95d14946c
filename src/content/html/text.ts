import type { AnyNode } from 'domhandler';
import { isTag, isText } from './nodes.ts';

const ELEMENTS_NEVER_SHOWN = new Set(['script', 'style', 'template', 'noscript', 'head']);
/** Elements that end a line of text; all others are a part of it. */
const BLOCKS = new Set(
  `address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure
  footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section
  select summary table tbody td tfoot th thead tr ul`.split(/\s+/),
);
/** Default limit for the text of one element, in characters. */
const MAX_CHARACTERS = 10_000;

/** Whether an element ends the line of text before it. */
export const isBlock = (name: string) => BLOCKS.has(name);

/** Whether the content of an element is never shown as text. */
export const isNeverShown = (name: string) => ELEMENTS_NEVER_SHOWN.has(name);

/**
 * Collapses white space to single spaces and trims the text. Single spaces are not matched, because replacing
 * each of them takes several times as long and allocates a copy of the text.
 */
export const oneLine = (text: string) => text.replace(/\s{2,}|[^\S ]/g, ' ').trim();

/**
 * The text of an element in one line, with a space between blocks, truncated if it is very long. The cost is
 * limited, so it may be called for nested elements.
 */
export function textOf(root: AnyNode, most = MAX_CHARACTERS): string {
  const mostNodes = 100 + 2 * most;
  let text = '';
  let nodes = 0;
  const stack: (AnyNode | ' ')[] = [root];
  for (let node = stack.pop(); node && text.length < most && nodes < mostNodes; node = stack.pop(), nodes++) {
    if (node === ' ') text += ' ';
    else if (isText(node)) text += node.data.slice(0, most);
    else if (isTag(node) && !isNeverShown(node.name)) {
      const edge = isBlock(node.name);
      if (edge) stack.push(' ');
      for (let at = Math.min(node.children.length, mostNodes) - 1; at >= 0; at--)
        stack.push(node.children[at]!);
      if (edge) text += ' ';
    }
  }
  return oneLine(text).slice(0, most);
}
