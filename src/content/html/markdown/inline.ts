import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { isParentElement, isTag } from '../nodes.ts';
import { LINE_BREAKS } from './inline-writer.ts';
import type { ElementRule } from './writer.ts';

/** Most levels of the same emphasis inside itself, where `tidy` is off; with `tidy` two. */
const MAX_NESTED_DELIMITERS = 3;

/**
 * Creates the rule for emphasis. Nested emphasis uses the other delimiter, and only where it opens together
 * with the outer one or at a word boundary: elsewhere parsers would read neither.
 */
function createDelimiterRule(delimiter: string, alternative?: string): ElementRule {
  return (writer, { children }) => {
    let depth = 0;
    for (const { open } of writer.spans) if (open === delimiter || open === alternative) depth++;
    const delimiterHere = depth % 2 ? alternative : delimiter;
    const { isAdjacent, isAdjacentToWord } = writer.line;
    const isApart = writer.isSpanPending || !(writer.options.tidy ? isAdjacent : isAdjacentToWord);
    const isRead = depth === 0 || (depth < (writer.options.tidy ? 2 : MAX_NESTED_DELIMITERS) && isApart);
    if (delimiterHere === undefined || !isRead) writer.walk(children);
    else
      writer.writeSpan({ open: delimiterHere, close: delimiterHere, isLink: false, hasContent: false }, () =>
        writer.walk(children),
      );
  };
}

export const strong = createDelimiterRule('**', '__');
export const emphasis = createDelimiterRule('*', '_');
export const strikethrough = createDelimiterRule('~~');

/**
 * Writes a heading on one line with as many `#` as its level. Inside a paragraph it becomes text, and in a
 * table cell bold text.
 */
export const heading: ElementRule = (writer, element) => {
  const { name, children } = element;
  writer.endText();
  if (writer.isInline) {
    // A table cell cannot hold a heading, so the heading becomes bold.
    if (writer.isCell) strong(writer, element);
    else writer.walk(children);
    writer.endText();
    return;
  }
  const spans = writer.spans.filter(({ isLink }) => isLink);
  const { headingLink } = writer;
  if (headingLink && !headingLink.hasContent) spans.push(headingLink);
  const text = writer.renderInline(LINE_BREAKS.heading, () => writer.walk(children), spans);
  if (!text && writer.options.tidy) return;
  const closed = text.replace(/(^| )(#+)$/, '$1\\$2');
  writer.addBlock({ kind: 'heading', text: `${'#'.repeat(Number(name[1]))} ${closed}`.trimEnd() });
};

/**
 * Superscript keeps its tag where its text would otherwise be read as part of a number or name:
 * 10<sup>6</sup> is not 106.
 */
export const superscript: ElementRule = (writer, element) => {
  const text = textContent(element).trim();
  const isPower =
    /^(?:[-+−]?\d+(?:[.,]\d+)*|[-+−]|[a-z])$/i.test(text) && element.children.every((child) => !isTag(child));
  if (!isPower || !writer.line.isAdjacent) return writer.walk(element.children);
  writer.countText(text.length);
  writer.line.raw(`<sup>${text}</sup>`);
};

/** A task's checkbox at the beginning of a list item. */
export const checkbox: ElementRule = (writer, { attribs, parent }) => {
  if (attribs.type?.toLowerCase() !== 'checkbox' || !writer.line.isEmpty || !isInItem(parent)) return;
  writer.line.raw(`[${attribs.checked === undefined ? ' ' : 'x'}]`);
  writer.line.space();
};

function isInItem(parent: Element['parent']): boolean {
  for (let at = parent, steps = 0; isParentElement(at) && steps < 3; at = at.parent, steps++)
    if (at.name === 'li') return true;
  return false;
}

/** Text in parentheses. */
export const aside: ElementRule = (writer, element) => {
  if (textContent(element).trim() === '') return;
  writer.line.text('(');
  writer.walk(element.children);
  writer.line.text(')');
};

/** An inline quotation, in typographic quotation marks. */
export const inlineQuote: ElementRule = (writer, { children }) => {
  writer.line.text('“');
  writer.walk(children);
  writer.line.text('”');
};
