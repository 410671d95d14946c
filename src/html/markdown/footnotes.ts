import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { textContent } from 'domutils';

/** What a page's footnotes are, by the elements that they were found in. */
export interface Footnotes {
  /** Labels by the links in the text that lead to a note. */
  readonly marks: ReadonlyMap<Element, string>;
  /** Labels by the items that are notes. */
  readonly notes: ReadonlyMap<Element, string>;
  /** Links from notes back to the text, with what stands around them. */
  readonly returns: ReadonlySet<Element>;
}

const LONGEST_MARK = 12;
/** A mark's own place may be that of the raised text around it. */
const MOST_PARENTS = 3;
const MOST_LEVELS = 20;

/**
 * Footnotes are items that a short link of the text leads to and that lead back to that very place. Nothing else on a
 * page does both, whatever it is called there.
 */
export function footnotesOf(nodes: readonly ChildNode[]): Footnotes {
  const { links, items } = placesOf(nodes);
  const leads = new Map<string, Element>();
  const candidates: { link: Element; item: Element }[] = [];
  for (const link of links) {
    const item = items.get(fragmentOf(link));
    if (!item || closestItem(link) === item) continue;
    const own = placesAround(link);
    if (own.length === 0 || textContent(link).trim().length > LONGEST_MARK) continue;
    candidates.push({ link, item });
    for (const place of own) leads.set(place, item);
  }
  const returns = new Set<Element>();
  const found = new Set<Element>();
  for (const link of candidates.length > 0 ? links : []) {
    const item = leads.get(fragmentOf(link));
    if (!item || closestItem(link) !== item) continue;
    found.add(item);
    returns.add(withSurroundings(link));
  }
  const notes = new Map<Element, string>();
  const marks = new Map<Element, string>();
  const labels = new Set<string>();
  for (const { link, item } of candidates) {
    if (!found.has(item)) continue;
    let label = notes.get(item);
    if (label === undefined) {
      const said = textContent(link).replace(/[\s[\](){}]/g, '');
      label = /^[\w-]+$/.test(said) && !labels.has(said) ? said : `note-${notes.size + 1}`;
      labels.add(label);
      notes.set(item, label);
    }
    marks.set(link, label);
  }
  return { marks, notes, returns };
}

/** Links to places of a page, and the items that are places. */
function placesOf(nodes: readonly ChildNode[]): { links: Element[]; items: Map<string, Element> } {
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

/** The names of a link's place: its own, or those of what is right around it. */
function placesAround(link: Element): string[] {
  const places: string[] = [];
  let at: Element['parent'] = link;
  for (let steps = 0; at && isTag(at) && steps < MOST_PARENTS; at = at.parent, steps++) {
    const { id, name } = at.attribs;
    if (id) places.push(id);
    if (name && at === link) places.push(name);
  }
  return places;
}

function closestItem(element: Element): Element | undefined {
  let at: Element['parent'] = element;
  for (let steps = 0; at && isTag(at) && steps < MOST_LEVELS; at = at.parent, steps++)
    if (at.name === 'li') return at;
  return undefined;
}

/** A way back, with an element around it that holds nothing but such ways. */
function withSurroundings(link: Element): Element {
  const { parent } = link;
  if (!parent || !isTag(parent) || parent.name === 'li') return link;
  const around =
    parent.name === 'sup' && parent.parent && isTag(parent.parent) && parent.parent.name !== 'li'
      ? parent.parent
      : parent;
  return around.children.every(isEmptyBut) ? around : link;
}

const isEmptyBut = (node: ChildNode) =>
  isText(node) ? /^[\s^↑⬆,;.*]*$/.test(node.data) : !isTag(node) || ['a', 'sup'].includes(node.name);
