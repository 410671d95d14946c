import type { Element } from 'domhandler';
import { firstElements, isParentElement, isTag } from '../../nodes.ts';

/** The names of tabs are at most this many levels above the code, and this many elements before it. */
const MAX_LEVELS = 6;
const MAX_SIBLINGS = 10;
/** Elements of a list in which tabs are looked for. */
const MAX_INSIDE = 100;
const TAB_CLASS = /(?:^|[^a-z])(?:code-?)?tab(?:s|bed)?(?![a-z])/i;

/**
 * Finds the names of the tabs that choose between variants of code, such as package managers, and the lists of these. They
 * are controls, but say what the code is for.
 */
export function findCodeTabs(elements: readonly Element[]): Set<Element> {
  const tabs = new Set<Element>();
  const seen = new Set<Element>();
  for (const element of elements) {
    if (element.name !== 'pre') continue;
    let at = element;
    // Other blocks of code inside the same elements have the same tabs.
    for (let level = 0; level < MAX_LEVELS && !seen.has(at); level++) {
      seen.add(at);
      for (const before of elementsBefore(at)) addTabs(before, tabs);
      if (!isParentElement(at.parent)) break;
      at = at.parent;
    }
  }
  return tabs;
}

function elementsBefore(element: Element): Element[] {
  const found: Element[] = [];
  for (let at = element.prev; at && found.length < MAX_SIBLINGS; at = at.prev) if (isTag(at)) found.push(at);
  return found;
}

/** Adds the tabs that an element is, or that are in a list of tabs that it is or has as a child. */
function addTabs(element: Element, to: Set<Element>): void {
  const list = [element, ...element.children.filter(isTag)].find(isTabList);
  const inside = list ? firstElements(list, MAX_INSIDE) : [];
  const found = [element, ...inside].filter((each) => isTab(each, list !== undefined));
  for (const tab of found) to.add(tab);
  if (found.length === 0) return;
  to.add(element);
  if (list) to.add(list);
}

const isTabList = ({ attribs }: Element) => attribs.role === 'tablist' || TAB_CLASS.test(attribs.class ?? '');

/** Whether an element is a tab: by its role, as the label of a choice, or as a button in a list of tabs. */
const isTab = ({ name, attribs }: Element, isInList: boolean) =>
  attribs.role === 'tab' ||
  (name === 'label' && attribs.for !== undefined && (isInList || TAB_CLASS.test(attribs.class ?? ''))) ||
  (name === 'button' && isInList);
