import type { Element } from 'domhandler';
import { isParentElement } from './nodes.ts';
import { textOf } from './text.ts';

/**
 * Whether an element is a note that a reader sees on pointing at the text around it: it is hidden by a style, and the title
 * of the element around it says the same.
 */
export function isHoverNote(element: Element): boolean {
  const { attribs, parent } = element;
  if (!isParentElement(parent) || !parent.attribs.title || !/display:\s*none/i.test(attribs.style ?? ''))
    return false;
  const { title } = parent.attribs;
  const shown = lettersOf(title);
  return shown !== '' && shown === lettersOf(textOf(element, 2 * title.length));
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '');
