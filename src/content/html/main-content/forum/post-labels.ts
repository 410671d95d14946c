import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { isTag } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage } from '../stage.ts';
import type { StructuredPost } from './thread-structure.ts';

/** A label that at least this share of the posts has is a control, such as "Reply". */
const MIN_LABELED_SHARE = 0.6;
/** Longer texts are no labels. Characters that are not blank. */
const MAX_LABEL_LENGTH = 20;

/** Drops the labels that most posts have in the same words, other than authors and dates. */
export function dropLabels(
  posts: readonly StructuredPost[],
  index: PageIndex,
  { dropped }: PrunedPage,
): void {
  const own = new Set(posts.flatMap(({ name, date }) => [name, date]));
  const labels = posts.flatMap((post) =>
    post.parts.flatMap((part) => labelsIn(part, own, index)).map((element) => ({ post, element })),
  );
  const alike = Map.groupBy(labels, ({ element }) => oneLine(textContent(element)));
  for (const [text, found] of alike)
    if (new Set(found.map(({ post }) => post)).size >= Math.max(2, MIN_LABELED_SHARE * posts.length))
      for (const { element } of found) dropped.drop(element, { kind: 'repetition', detail: text });
}

/** The innermost elements with a short text, outside of the given ones. */
function labelsIn(element: Element, except: ReadonlySet<Element>, index: PageIndex): Element[] {
  const { length = 0 } = index.measures.get(element) ?? {};
  if (length === 0 || except.has(element)) return [];
  const children = element.children.filter(
    (child): child is Element => isTag(child) && (index.measures.get(child)?.length ?? 0) > 0,
  );
  if (children.length > 0) return children.flatMap((child) => labelsIn(child, except, index));
  return length <= MAX_LABEL_LENGTH ? [element] : [];
}
