import { type Element, isTag } from 'domhandler';
import { isHeading } from './measure.ts';

/** Whether an element is the heading of something that it shows and hides again below it; menus are no such thing. */
export const isFold = ({ attribs }: Element): boolean =>
  attribs['aria-haspopup'] === undefined &&
  (attribs['aria-expanded'] !== undefined || toggledBy(attribs) === 'collapse');

/** The ids of what elements show in its place when readers ask for it, as folds and tabs do; none of dialogs. */
export function foldedAmong(elements: Iterable<Element>): Set<string> {
  const ids = new Set<string>();
  for (const element of elements) {
    const id = foldedBy(element);
    if (id) ids.add(id);
  }
  return ids;
}

function foldedBy(element: Element): string | undefined {
  const { attribs } = element;
  const toggled = toggledBy(attribs);
  if (toggled === undefined)
    return isFold(element) || isTab(element) || isInHeading(element) ? attribs['aria-controls'] : undefined;
  const target = attribs['data-bs-target'] ?? attribs['data-target'] ?? attribs.href ?? '';
  return /^(collapse|tab|pill)$/.test(toggled) && target.startsWith('#') ? target.slice(1) : undefined;
}

const isTab = ({ attribs }: Element) => attribs.role === 'tab';

/** Whether an element is the text of a heading, or of a term. */
export const isInHeading = ({ parent }: Element) =>
  parent !== null && isTag(parent) && (isHeading(parent) || parent.name === 'dt');

/** Bootstrap's name for what a click does. */
const toggledBy = (attribs: Element['attribs']) => attribs['data-bs-toggle'] ?? attribs['data-toggle'];
