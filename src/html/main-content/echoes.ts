import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { oneLine } from '../text.ts';
import { isHeading } from './measure.ts';
import type { Pruned } from './pruning.ts';

/** Lengths of labels in characters; of shorter ones many are the same by chance. */
const SHORTEST_TITLE = 5;
const SHORTEST = 12;
const LONGEST = 200;
/** So many labels back a label may have said the same. */
const MEMORY = 4;
/** In them the same text means something else each time. */
const VALUES = new Set(['td', 'th', 'dt', 'dd', 'pre', 'code']);

interface Label {
  text: string;
  element: Element;
  isHeading: boolean;
}

/**
 * Drops labels that say again what one just before said: a card's title below its picture, one badge for each size.
 * Of a heading and another label the heading stays.
 */
export function dropEchoes(root: Element, { left, dropped }: Pruned): void {
  let recent: Label[] = [];
  let address: string | undefined;
  const hear = (label: Label, shortest: number) => {
    const isSaid = ({ text }: Label) => text === label.text;
    const said = label.text.length >= shortest && /\p{L}/u.test(label.text) && recent.find(isSaid);
    if (said && label.isHeading && !said.isHeading) {
      dropped.add(said.element);
      Object.assign(said, label);
    } else if (said) dropped.add(label.element);
    else if (recent.push(label) > MEMORY) recent.shift();
  };
  const visit = (element: Element) => {
    for (const child of element.children) {
      const length = isTag(child) && !dropped.has(child) ? left.get(child)?.length : 0;
      if (!isTag(child) || !length) continue;
      const line = lineFrom(child, left);
      if (line.some(({ name }) => VALUES.has(name))) continue;
      const link = line.find(({ name }) => name === 'a');
      // With a link to somewhere else the next card begins.
      if (link && link.attribs.href !== address) {
        address = link.attribs.href;
        recent = [];
      }
      const last = line.at(-1) ?? child;
      const isLabel =
        length <= LONGEST && !last.children.some((inside) => isTag(inside) && hasText(inside, left));
      if (!isLabel) {
        visit(last);
        continue;
      }
      const text = oneLine(textContent(child)).toLowerCase();
      const isTitle = line.some(isHeading);
      hear({ text, element: child, isHeading: isTitle }, link || isTitle ? SHORTEST_TITLE : SHORTEST);
    }
  };
  visit(root);
}

const hasText = (element: Element, left: Pruned['left']) => (left.get(element)?.length ?? 0) > 0;

/** An element and those in it that have all of its text, from the outside in. */
function lineFrom(element: Element, left: Pruned['left']): Element[] {
  const line: Element[] = [];
  for (let at: Element | undefined = element; at; ) {
    line.push(at);
    const whole = left.get(at)?.length;
    at = at.children.find((child): child is Element => isTag(child) && left.get(child)?.length === whole);
  }
  return line;
}
