import { type AnyNode, isTag, isText } from 'domhandler';

const ELEMENTS_NEVER_SHOWN = new Set(['script', 'style', 'template', 'noscript', 'head']);
/** Elements that end a line of text; all others are a part of it. */
const BLOCKS = new Set(
  `address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure
  footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section
  select summary table tbody td tfoot th thead tr ul`.split(/\s+/),
);
/** Nothing of a page that is named, labelled or quoted is this long. */
const MAX_CHARACTERS = 10_000;

/** Whether an element ends the line of text before it. */
export const isBlock = (name: string) => BLOCKS.has(name);

/** Whether the content of an element is no text of the page. */
export const isNeverShown = (name: string) => ELEMENTS_NEVER_SHOWN.has(name);

/** Text in one line: blanks of any kind become one. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * What an element shows, in one line, a blank between blocks; of a very long one the beginning. Its cost is bounded, so
 * it may be asked of elements inside each other.
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
