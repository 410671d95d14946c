import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { BREAKS } from './line.ts';
import type { Rule } from './writer.ts';

/** The same mark more often inside itself says nothing more; where the page is to be read, twice is enough. */
const MOST_MARKS = 3;

/**
 * A mark around a text. The same one inside itself is written with the other sign, where it begins with the outer one or
 * a word: anywhere else neither would be read.
 */
function mark(sign: string, other?: string): Rule {
  return (writer, { children }) => {
    const depth = writer.wraps.filter(({ open }) => open === sign || open === other).length;
    const own = depth % 2 ? other : sign;
    const { touches, touchesWord } = writer.line;
    const isApart = writer.isMarkDue || !(writer.options.tidy ? touches : touchesWord);
    const isRead = depth === 0 || (depth < (writer.options.tidy ? 2 : MOST_MARKS) && isApart);
    if (own === undefined || !isRead) writer.walk(children);
    else writer.wrapped({ open: own, close: own, isLink: false, isUsed: false }, () => writer.walk(children));
  };
}

export const strong = mark('**', '__');
export const emphasis = mark('*', '_');
export const deleted = mark('~~');

export const heading: Rule = (writer, element) => {
  const { name, children } = element;
  writer.bound();
  if (writer.isFlat) {
    // In a cell it stands out all the same.
    if (writer.isCell) strong(writer, element);
    else writer.walk(children);
    writer.bound();
    return;
  }
  const wraps = writer.wraps.filter(({ isLink }) => isLink);
  const { card } = writer;
  if (card && !card.isUsed) wraps.push(card);
  const text = writer.flat(BREAKS.heading, () => writer.walk(children), wraps);
  if (!text && writer.options.tidy) return;
  const closed = text.replace(/(^| )(#+)$/, '$1\\$2');
  writer.add({ kind: 'heading', text: `${'#'.repeat(Number(name[1]))} ${closed}`.trimEnd() });
};

/** What is raised stays so where it would be read as part of a number or name: 10 to the 6 is not 106. */
export const raised: Rule = (writer, element) => {
  const text = textContent(element).trim();
  const isPower =
    /^(?:[-+−]?\d+(?:[.,]\d+)*|[-+−]|[a-z])$/i.test(text) && element.children.every((child) => !isTag(child));
  if (!isPower || !writer.line.touches) return writer.walk(element.children);
  writer.count(text.length);
  writer.line.raw(`<sup>${text}</sup>`);
};

/** A box to tick at the beginning of an item. */
export const checkbox: Rule = (writer, { attribs, parent }) => {
  if (attribs.type?.toLowerCase() !== 'checkbox' || !writer.line.isEmpty || !isInItem(parent)) return;
  writer.line.raw(`[${attribs.checked === undefined ? ' ' : 'x'}]`);
  writer.line.gap();
};

function isInItem(parent: Element['parent']): boolean {
  for (let at = parent, steps = 0; at && isTag(at) && steps < 3; at = at.parent, steps++)
    if (at.name === 'li') return true;
  return false;
}

/** What is said by the way, in the marks of a quotation. */
export const quotation: Rule = (writer, { children }) => {
  writer.line.text('“');
  writer.walk(children);
  writer.line.text('”');
};
