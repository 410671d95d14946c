import type { ChildNode, Element } from 'domhandler';
import { textContent } from 'domutils';
import { isParentElement, isTag, isText } from '../nodes.ts';

/** The footnotes of a page, by the elements that they were found in. */
export interface Footnotes {
  /** Label of each link in the text that leads to a note. */
  readonly references: ReadonlyMap<Element, string>;
  /** Label of each list item that is a note. */
  readonly notes: ReadonlyMap<Element, string>;
  /** Links from notes back to the text, or the elements that hold nothing but such a link. */
  readonly backReferences: ReadonlySet<Element>;
  /** The ids to which links within the page (`#id`) lead; on pages from the web all links are absolute. */
  readonly linkedIds: ReadonlySet<string>;
}

const MAX_MARKER_TEXT = 12;
/** The anchor of a reference may be on the `sup` element around the link. */
const MAX_ANCHOR_PARENTS = 3;
const MAX_ITEM_DEPTH = 20;

/**
 * Finds footnotes by structure instead of class names: a list item to which a short link in the text leads,
 * and which links back to that link. No other structure of a page does both.
 */
export function findFootnotes(nodes: readonly ChildNode[]): Footnotes {
  const { links, items } = collectLinksAndTargets(nodes);
  const itemsByAnchor = new Map<string, Element>();
  const candidates: { link: Element; item: Element }[] = [];
  for (const link of links) {
    const item = items.get(fragmentOf(link));
    if (!item || closestItem(link) === item) continue;
    const anchors = anchorNames(link);
    if (anchors.length === 0 || textContent(link).trim().length > MAX_MARKER_TEXT) continue;
    candidates.push({ link, item });
    for (const place of anchors) itemsByAnchor.set(place, item);
  }
  const returns = new Set<Element>();
  const found = new Set<Element>();
  for (const link of candidates.length > 0 ? links : []) {
    const item = itemsByAnchor.get(fragmentOf(link));
    if (!item || closestItem(link) !== item) continue;
    found.add(item);
    returns.add(expandBackReference(link));
  }
  const notes = new Map<Element, string>();
  const marks = new Map<Element, string>();
  const labels = new Set<string>();
  for (const { link, item } of candidates) {
    if (!found.has(item)) continue;
    let label = notes.get(item);
    if (label === undefined) {
      const marker = textContent(link).replace(/[\s[\](){}]/g, '');
      label = /^[\w-]+$/.test(marker) && !labels.has(marker) ? marker : `note-${notes.size + 1}`;
      labels.add(label);
      notes.set(item, label);
    }
    marks.set(link, label);
  }
  const inner = links.filter(({ attribs }) => attribs.href?.startsWith('#'));
  return { references: marks, notes, backReferences: returns, linkedIds: new Set(inner.map(fragmentOf)) };
}

/** Collects links to fragments, and list items with an `id`. */
function collectLinksAndTargets(nodes: readonly ChildNode[]): {
  links: Element[];
  items: Map<string, Element>;
} {
  const links: Element[] = [];
  const items = new Map<string, Element>();
  const stack = nodes.filter(isTag).reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { name, attribs, children } = node;
    if (name === 'a' && attribs.href?.includes('#')) links.push(node);
    else if (name === 'li' && attribs.id) items.set(attribs.id, node);
    for (let place = children.length - 1; place >= 0; place--) {
      const child = children[place];
      if (child && isTag(child)) stack.push(child);
    }
  }
  return { links, items };
}

function fragmentOf({ attribs: { href = '' } }: Element): string {
  const fragment = href.slice(href.indexOf('#') + 1);
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}

/** The anchor names of a link: its own and those of the elements right around it. */
function anchorNames(link: Element): string[] {
  const places: string[] = [];
  let at: Element['parent'] = link;
  for (let steps = 0; isParentElement(at) && steps < MAX_ANCHOR_PARENTS; at = at.parent, steps++) {
    const { id, name } = at.attribs;
    if (id) places.push(id);
    if (name && at === link) places.push(name);
  }
  return places;
}

function closestItem(element: Element): Element | undefined {
  let at: Element['parent'] = element;
  for (let steps = 0; isParentElement(at) && steps < MAX_ITEM_DEPTH; at = at.parent, steps++)
    if (at.name === 'li') return at;
  return undefined;
}

/** A back reference, widened to the element around it where that holds nothing else. */
function expandBackReference(link: Element): Element {
  const { parent } = link;
  if (!isParentElement(parent) || parent.name === 'li') return link;
  const around =
    parent.name === 'sup' && isParentElement(parent.parent) && parent.parent.name !== 'li'
      ? parent.parent
      : parent;
  return around.children.every(isBackReferenceNode) ? around : link;
}

const isBackReferenceNode = (node: ChildNode) =>
  isText(node) ? /^[\s^↑⬆,;.*]*$/.test(node.data) : !isTag(node) || ['a', 'sup'].includes(node.name);
