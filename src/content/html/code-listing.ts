import type { Element } from 'domhandler';
import { hasAttributes, isTag } from './nodes.ts';

/** What the classes of both have. Few names do, and every `div` is asked. */
const MAY_BE_LISTING = /fragment|code-?block/;
const FRAGMENT_CLASS = /(?:^|\s)fragment(?:\s|$)/;
const LINE_CLASS = /(?:^|\s)line(?:\s|$)/;
const BLOCK_CLASS = /(?:^|\s)code-?block(?:\s|$)/;

/**
 * Whether an element is a block of code although it is no `pre`: the lines of Doxygen, and the blocks of Writerside, which
 * have only text.
 */
export function isCodeListing(element: Element): boolean {
  if (element.name !== 'div' || !hasAttributes(element)) return false;
  const names = element.attribs.class;
  if (names === undefined || !MAY_BE_LISTING.test(names)) return false;
  if (FRAGMENT_CLASS.test(names)) {
    const lines = element.children.filter(isTag);
    return lines.length > 0 && lines.every(({ attribs }) => LINE_CLASS.test(attribs.class ?? ''));
  }
  return (
    BLOCK_CLASS.test(names) && element.attribs['data-lang'] !== undefined && !element.children.some(isTag)
  );
}
