import { type AnyNode, type Document, hasChildren, type ParentNode, Text } from 'domhandler';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { ServiceError } from '../errors.ts';

/** Browsers stop nesting at this depth; below it only text is kept. */
const MOST_DEPTH = 512;
/** Far above any page that a person reads. */
const MOST_NODES = 1_500_000;

/**
 * HTML text as a tree, the same that a browser makes of it, but never too deep for recursion over it.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for a page of more nodes than any real one has
 */
export function parseHtml(html: string): Document {
  const document = parse(html, { treeAdapter: adapter, scriptingEnabled: false });
  bound(document);
  return document;
}

/** Walks without recursion, for the depth is the page's to choose. */
function bound(document: Document): void {
  const stack: { node: ParentNode; depth: number }[] = [{ node: document, depth: 0 }];
  let seen = 0;
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node, depth } = top;
    seen += node.children.length;
    if (seen > MOST_NODES) {
      const message = `The page has more than ${MOST_NODES} elements and texts. Fetch a smaller part of it.`;
      throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message);
    }
    if (depth === MOST_DEPTH) keepText(node);
    for (const child of node.children) if (hasChildren(child)) stack.push({ node: child, depth: depth + 1 });
  }
}

function keepText(node: ParentNode): void {
  let text = '';
  const stack: AnyNode[] = [...node.children].reverse();
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (top instanceof Text) text += top.data;
    else if (hasChildren(top)) for (const child of [...top.children].reverse()) stack.push(child);
  }
  const only = new Text(text);
  only.parent = node;
  node.children = [only];
}
