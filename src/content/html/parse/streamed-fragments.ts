import { type ChildNode, type Document, type Element, isComment, isTag, type ParentNode } from 'domhandler';
import { findAll, textContent } from 'domutils';
import { limitDepth, setChildren } from './parse.ts';

/** A prefix of React's streaming functions. Pages without it need no work. */
const REACT_MARKER = '$R';
/**
 * Calls of React's functions that put a fragment into its place. In `$RS` calls, the fragment's ID is the
 * first argument; in the others it is the second.
 */
const CALL = /\$R([CRS])\("([^"]+)","([^"]+)"/g;
/**
 * Fragments below this depth are not placed, so that nested fragments cannot exceed the maximum depth of the
 * tree.
 */
const MAX_PLACEMENT_DEPTH = 512;

/**
 * Moves fragments that React streamed at the end of the page to their places, as the page's scripts would do.
 * The children of a hidden fragment replace a `template` and the fallback after it. It takes linear time.
 * @param source the HTML that the page was parsed from
 * @returns the same document
 */
export function placeStreamedFragments(page: Document, source: string): Document {
  const fragments = source.includes(REACT_MARKER) ? findFragments(page) : new Map<string, Element>();
  if (fragments.size === 0) return page;
  const open = new Set<ParentNode>();
  // Recursion is safe, because both the depth of a parsed page and the depth of placed fragments are limited.
  const arrange = (parent: ParentNode, depth: number) => {
    open.add(parent);
    setChildren(parent, parent.children.flatMap(withFallbacks(parent, depth)));
    open.delete(parent);
  };
  const withFallbacks = (parent: ParentNode, depth: number) => {
    let skipped = 0;
    return (node: ChildNode, at: number): ChildNode[] => {
      if (at < skipped) return [];
      if (!isTag(node)) return [node];
      const fragment = node.name === 'template' ? fragments.get(node.attribs.id ?? '') : undefined;
      if (!fragment || open.has(fragment) || depth > MAX_PLACEMENT_DEPTH) {
        arrange(node, depth + 1);
        return [node];
      }
      skipped = endOfFallback(parent.children, at);
      arrange(fragment, depth + 1);
      const { children } = fragment;
      setChildren(fragment, []);
      return children;
    };
  };
  arrange(page, 0);
  limitDepth(page);
  return page;
}

/** Finds the fragments, by the ID of the template that each one replaces. */
function findFragments(page: Document): Map<string, Element> {
  const byId = new Map<string, Element>();
  const calls: [place: string, fragment: string][] = [];
  for (const element of findAll(() => true, page.children)) {
    const { name, attribs } = element;
    if (attribs.id !== undefined) byId.set(attribs.id, element);
    if (name !== 'script' || attribs.src !== undefined) continue;
    for (const [, kind, first = '', second = ''] of textContent(element).matchAll(CALL))
      calls.push(kind === 'S' ? [second, first] : [first, second]);
  }
  return new Map(
    calls.flatMap(([place, fragment]) => {
      const element = byId.get(fragment);
      return element ? [[place, element]] : [];
    }),
  );
}

/**
 * The index where processing continues after a template: the comment that ends the fallback of its boundary,
 * or the next node if there is no fallback.
 */
function endOfFallback(siblings: ChildNode[], template: number): number {
  const before = siblings[template - 1];
  if (!before || !isComment(before) || !before.data.startsWith('$')) return template + 1;
  let depth = 1;
  for (let at = template + 1; at < siblings.length; at++) {
    const node = siblings[at];
    if (!node || !isComment(node)) continue;
    if (node.data === '/$') depth--;
    else if (/^\$[?!]?$/.test(node.data)) depth++;
    if (depth === 0) return at;
  }
  return template + 1;
}
