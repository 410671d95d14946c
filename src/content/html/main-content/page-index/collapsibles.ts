import type { Element } from 'domhandler';
import { hasAttributes, isHeading, isParentElement } from '../../nodes.ts';

/** Whether an element expands and collapses another element below it. Menu buttons are excluded. */
export const isCollapseToggle = ({ attribs }: Element): boolean =>
  attribs['aria-haspopup'] === undefined &&
  (attribs['aria-expanded'] !== undefined || toggleKindOf(attribs) === 'collapse');

/** The ids of the elements that accordions and tabs show in place. Menus and dialogs are not included. */
export function findCollapsibleIds(elements: readonly Element[]): Set<string> {
  const ids = new Set<string>();
  for (const element of elements) {
    const id = hasAttributes(element) ? collapsibleIdOf(element) : undefined;
    if (id) ids.add(id);
  }
  return ids;
}

function collapsibleIdOf(element: Element): string | undefined {
  const { attribs } = element;
  const toggled = toggleKindOf(attribs);
  if (toggled === undefined) {
    const controlled = attribs['aria-controls'];
    return controlled !== undefined && (isCollapseToggle(element) || isTab(element) || isInHeading(element))
      ? controlled
      : undefined;
  }
  const target = attribs['data-bs-target'] ?? attribs['data-target'] ?? attribs.href ?? '';
  return /^(collapse|tab|pill)$/.test(toggled) && target.startsWith('#') ? target.slice(1) : undefined;
}

const isTab = ({ attribs }: Element) => attribs.role === 'tab';

/** Whether an element is a child of a heading or of a `dt`. */
export const isInHeading = ({ parent }: Element) =>
  isParentElement(parent) && (isHeading(parent) || parent.name === 'dt');

/** The value of Bootstrap's toggle attribute, such as `collapse` or `tab`. */
const toggleKindOf = (attribs: Element['attribs']) => attribs['data-bs-toggle'] ?? attribs['data-toggle'];
