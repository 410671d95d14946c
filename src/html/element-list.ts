import { type ChildNode, type Document, type Element, hasChildren, isTag } from 'domhandler';

const lists = new WeakMap<Document, Element[]>();

/**
 * All elements of a page, in document order. The list is made once for each document, because many facts about a page are looked
 * for in all of its elements; so a document must not change after its elements were listed. Each element then knows its place in
 * the list: `startIndex`, which our parser leaves empty.
 */
export function listElements(document: Document): readonly Element[] {
  const known = lists.get(document);
  if (known) return known;
  const elements: Element[] = [];
  addElements(document.children, elements);
  lists.set(document, elements);
  return elements;
}

/** Recursion is safe, because the parser limits the depth of a page. */
function addElements(nodes: readonly ChildNode[], to: Element[]): void {
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (isTag(node)) {
      node.startIndex = to.length;
      to.push(node);
    }
    if (hasChildren(node)) addElements(node.children, to);
  }
}
