import { type AnyNode, type ChildNode, type Document, isTag, type ParentNode } from 'domhandler';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { ServiceError } from '../errors.ts';

/** Browsers stop nesting at this depth; what is deeper becomes a sibling. */
const MOST_DEPTH = 512;
/** Far above any page that a person reads. */
const MOST_NODES = 1_000_000;
/** The parser looks through its open elements at most tags, so very many of them take time without end. */
const MOST_OPEN = 20_000;

/**
 * HTML text as a tree, the same that a browser makes of it, but never too deep for recursion over it.
 * The content of `noscript` is parsed too.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for a page of more nodes than any real one has
 */
export function parseHtml(html: string): Document {
  const document = parse(html, { treeAdapter: countingAdapter(), scriptingEnabled: false });
  flatten(document);
  return document;
}

/** Makes these the children of a node, linked with each other. */
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

function countingAdapter(): typeof adapter {
  let nodes = 0;
  let open = 0;
  const count = () => {
    if (++nodes > MOST_NODES) refuse(`has more than ${MOST_NODES} elements and texts`);
  };
  return {
    ...adapter,
    createElement(...given) {
      count();
      return adapter.createElement(...given);
    },
    insertText(...given) {
      count();
      adapter.insertText(...given);
    },
    insertTextBefore(...given) {
      count();
      adapter.insertTextBefore(...given);
    },
    onItemPush() {
      if (++open > MOST_OPEN) refuse(`nests more than ${MOST_OPEN} elements into each other`);
    },
    onItemPop() {
      open--;
    },
  };
}

function refuse(what: string): never {
  throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', `The page ${what}. Fetch a smaller part of it.`);
}

/** Without recursion, for the depth is still the page's to choose. */
function flatten(document: Document): void {
  const stack: { node: ParentNode; depth: number }[] = [{ node: document, depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const depth = top.depth + 1;
    if (depth === MOST_DEPTH) setChildren(top.node, inOneRow(top.node));
    else for (const child of top.node.children) if (isTag(child)) stack.push({ node: child, depth });
  }
}

/** All descendants side by side in document order; an element keeps what comes before the first element in it. */
function inOneRow(parent: ParentNode): ChildNode[] {
  const row: ChildNode[] = [];
  const stack = parent.children.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    row.push(node);
    if (!isTag(node)) continue;
    const first = node.children.findIndex((child: AnyNode) => isTag(child));
    if (first < 0) continue;
    for (const child of node.children.slice(first).reverse()) stack.push(child);
    setChildren(node, node.children.slice(0, first));
  }
  return row;
}
