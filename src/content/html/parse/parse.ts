import { type AnyNode, type ChildNode, type Document, isDocument, isTag, type ParentNode } from 'domhandler';
import { Parser } from 'parse5';
import { buildTree } from './tokenizer.ts';
import { BoundedAdapter } from './tree-adapter.ts';

/** Browsers limit nesting to this depth; deeper elements become siblings. */
const MAX_DEPTH = 512;

/**
 * Parses HTML into the same tree as a browser, with a depth that recursion can handle. The content of
 * `noscript` is parsed too.
 * @param isScripted whether to read `noscript` as a browser with scripts does, as text
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for a page with too many nodes, see `tree-adapter.ts`
 */
export function parseHtml(html: string, isScripted = false): Document {
  const treeAdapter = new BoundedAdapter();
  const document = buildTree(new Parser({ treeAdapter, scriptingEnabled: isScripted }), html);
  // The parser may wrap an element after it was closed, but only in elements that were open before it.
  // A tree is therefore at most twice as deep as the largest number of open elements.
  if (treeAdapter.maxOpen > MAX_DEPTH / 2) limitDepth(document);
  return document;
}

/** Replaces the children of a node and updates their `parent`, `prev` and `next`. */
export function setChildren(parent: ParentNode, children: ChildNode[]): void {
  let previous: ChildNode | null = null;
  for (const child of children) {
    child.parent = parent;
    child.prev = previous;
    child.next = null;
    if (previous) previous.next = child;
    previous = child;
  }
  parent.children = children;
}

/**
 * Turns elements below the maximum depth into siblings. Not recursive, because the depth is not limited yet.
 */
export function limitDepth(document: Document): void {
  const stack: { node: ParentNode; depth: number }[] = [{ node: document, depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const depth = top.depth + 1;
    if (depth === MAX_DEPTH) setChildren(top.node, flattenDescendants(top.node));
    // The content of a template is in a document of its own.
    else
      for (const child of top.node.children)
        if (isTag(child) || isDocument(child)) stack.push({ node: child, depth });
  }
}

/**
 * Flattens all descendants to siblings in document order. An element keeps only the nodes before its first
 * child element.
 */
function flattenDescendants(parent: ParentNode): ChildNode[] {
  const row: ChildNode[] = [];
  const stack = parent.children.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    row.push(node);
    // The content of a template is not shown.
    if (isDocument(node)) setChildren(node, []);
    if (!isTag(node)) continue;
    const first = node.children.findIndex((child: AnyNode) => isTag(child));
    if (first < 0) continue;
    for (const child of node.children.slice(first).reverse()) stack.push(child);
    setChildren(node, node.children.slice(0, first));
  }
  return row;
}
