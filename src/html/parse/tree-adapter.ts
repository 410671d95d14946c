import { type ChildNode, isText, type ParentNode, Text } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { ServiceError } from '../../errors.ts';
import { Attributes, createElement, hasAttributes, NO_ATTRIBUTES } from '../nodes.ts';

/** Far more than real pages have, and few enough for the memory of a rendering thread. */
const MAX_NODES = 600_000;
/** The parser searches its open elements at most tags, so very many of them would take quadratic time. */
const MAX_OPEN_ELEMENTS = 20_000;
/** Further attributes of an element are dropped. */
const MAX_ATTRIBUTES = 1_000;

export type BoundedAdapter = typeof adapter & {
  /** The largest number of elements that were open at once so far. */
  readonly maxOpen: number;
};

/**
 * Creates an adapter that lets parse5 build a tree of domhandler nodes. Compared with the library's own
 * adapter, its nodes need less memory, it usually finds a node among its siblings in constant time, and it
 * limits the size of the page. An adapter is used for one page only.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` during parsing, for a page beyond the limits
 */
export function createBoundedAdapter(): BoundedAdapter {
  const open = new OpenElements();
  let nodes = 0;
  const countNode = () => {
    if (++nodes > MAX_NODES) refuse(`has more than ${MAX_NODES} elements and texts`);
  };
  return {
    ...adapter,
    createElement(name, namespace, attributes) {
      countNode();
      return createParsedElement(name, namespace, attributes);
    },
    createCommentNode(text) {
      countNode();
      return adapter.createCommentNode(text);
    },
    insertText(parent, text) {
      const last = parent.children.at(-1);
      if (last && isText(last)) {
        last.data += text;
      } else {
        countNode();
        appendChild(parent, new Text(text));
      }
    },
    insertTextBefore(parent, text, reference) {
      const before = reference.prev;
      if (before && isText(before)) {
        before.data += text;
      } else {
        countNode();
        insertBefore(parent, new Text(text), reference);
      }
    },
    adoptAttributes,
    appendChild,
    insertBefore,
    detachNode,
    onItemPush: () => open.push(),
    onItemPop: () => open.pop(),
    get maxOpen() {
      return open.max;
    },
  };
}

/** Counts the open elements. */
class OpenElements {
  /** The largest number that were open at once so far. */
  max = 0;
  #count = 0;

  push(): void {
    if (++this.#count > this.max) this.max = this.#count;
    if (this.#count > MAX_OPEN_ELEMENTS)
      refuse(`nests more than ${MAX_OPEN_ELEMENTS} elements into each other`);
  }

  pop(): void {
    this.#count--;
  }
}

const createParsedElement: BoundedAdapter['createElement'] = (name, namespace, attributes) => {
  const element = createElement(name, attributes.length ? new Attributes() : NO_ATTRIBUTES, namespace);
  const known = attributes.length > MAX_ATTRIBUTES ? attributes.slice(0, MAX_ATTRIBUTES) : attributes;
  // The tokenizer has already removed duplicate names.
  for (const { name, value } of known) element.attribs[name] = value;
  return element;
};

const adoptAttributes: BoundedAdapter['adoptAttributes'] = (element, attributes) => {
  if (!hasAttributes(element)) element.attribs = new Attributes();
  for (const { name, value } of attributes) element.attribs[name] ??= value;
};

/**
 * Adds a node behind the last child. The list of the first child is made for one, because many elements have no other, and V8
 * makes room for sixteen more as soon as a list grows.
 */
function appendChild(parent: ParentNode, node: ChildNode): void {
  const { children } = parent;
  const last = children.at(-1);
  node.parent = parent;
  if (last) {
    last.next = node;
    node.prev = last;
    children.push(node);
  } else parent.children = [node];
}

const insertBefore: BoundedAdapter['insertBefore'] = (parent, node, reference) => {
  node.parent = parent;
  node.prev = reference.prev;
  node.next = reference;
  if (reference.prev) reference.prev.next = node;
  reference.prev = node;
  // The search starts at the end, because the parser usually moves recent nodes.
  parent.children.splice(parent.children.lastIndexOf(reference), 0, node);
};

const detachNode: BoundedAdapter['detachNode'] = (node) => {
  const { parent, prev, next } = node;
  if (!parent) return;
  if (prev) prev.next = next;
  if (next) next.prev = prev;
  parent.children.splice(parent.children.lastIndexOf(node), 1);
  node.parent = null;
  node.prev = null;
  node.next = null;
};

function refuse(what: string): never {
  throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', `The page ${what}. Fetch a smaller part of it.`);
}
