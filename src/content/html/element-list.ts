import { type ChildNode, type Document, type Element, isDocument } from 'domhandler';
import { isTag } from './nodes.ts';

/**
 * The list of a document is its property, because whatever is in a `WeakMap` survives the collections of V8's
 * young generation: nearly all of a page would stay in memory until the next collection of the old one.
 */
const LIST = Symbol('elements');
type ListedDocument = Document & { [LIST]?: Element[] };

/**
 * All elements of a page, in document order. The list is made once for each document, because many facts
 * about a page are looked for in all of its elements; so a document must not change after its elements were
 * listed. Each element then knows its place in the list: `startIndex`, which our parser leaves empty.
 */
export function listElements(document: ListedDocument): readonly Element[] {
  const known = document[LIST];
  if (known) return known;
  const elements: Element[] = [];
  addElements(document.children, elements);
  document[LIST] = elements;
  return elements;
}

/** Recursion is safe, because the parser limits the depth of a page. */
function addElements(nodes: readonly ChildNode[], to: Element[]): void {
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (!isTag(node)) continue;
    node.startIndex = to.length;
    to.push(node);
    addElements(node.name === 'template' ? nodesInTemplate(node) : node.children, to);
  }
}

/** The nodes in a `template`, which has a document as its child. */
const nodesInTemplate = ({ children }: Element) =>
  children.flatMap((child) => (isDocument(child) ? child.children : [child]));
