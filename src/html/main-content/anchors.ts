import { type Element, isTag } from 'domhandler';
import { findOne, textContent } from 'domutils';
import type { Survey } from './survey.ts';

/** Whether the first of its links leads to a place on the page. */
export const leadsWithin = (element: Element) =>
  findOne(
    ({ name, attribs }) => name === 'a' && attribs.href !== undefined,
    element.children,
  )?.attribs.href?.includes('#') ?? true;

/** Whether a link of so many characters is a sign that leads to the heading or the definition which it stands beside. */
export const isPermalink = (element: Element, length: number) =>
  length > 0 &&
  length < 3 &&
  (element.attribs.href?.includes('#') ?? false) &&
  /^\s*[¶#§∞🔗\u200B]\s*$/u.test(textContent(element));

/** Whether a link leads to the source of what it stands beside, as rustdoc and pkg.go.dev name it. */
export const isSourceLink = ({ attribs }: Element) =>
  /(^|\s)(src|Documentation-source)(\s|$)/.test(attribs.class ?? '');

/** Whether a link stands in a paragraph: it is of the text, however it looks. */
export const isInText = ({ parent }: Element, { measures }: Survey) =>
  parent !== null && isTag(parent) && parent.name === 'p' && (measures.get(parent)?.prose ?? 0) > 0;
