import type { Element } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { isParentElement } from '../../nodes.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** Whether the first link in an element is a URL with a fragment. An element without links counts as such. */
export const linksWithinPage = (element: Element) =>
  findOne(
    ({ name, attribs }) => name === 'a' && attribs.href !== undefined,
    element.children,
  )?.attribs.href?.includes('#') ?? true;

/**
 * Whether a link is a permalink symbol such as `¶` beside a heading or a definition.
 * @param length characters of the link's text that are not blank
 */
export const isPermalink = (element: Element, length: number) =>
  length > 0 &&
  length < 3 &&
  (element.attribs.href?.includes('#') ?? false) &&
  /^\s*[¶#§∞🔗\u200B\uE000-\uF8FF]\s*$/u.test(textContent(element));

/** Whether a link leads to source code, by the class names of rustdoc and pkg.go.dev. */
export const isSourceLink = ({ attribs }: Element) =>
  /(^|\s)(src|Documentation-source)(\s|$)/.test(attribs.class ?? '');

/**
 * Whether a link is a child of a paragraph with prose. Such a link is content whatever its class names say.
 */
export const isInParagraph = ({ parent }: Element, { measures }: PageIndex) =>
  isParentElement(parent) && parent.name === 'p' && (measures.get(parent)?.prose ?? 0) > 0;
