import type { Element } from 'domhandler';
import { isTag } from '../../nodes.ts';
import { findPostsByMarkup } from '../forum/forum-markup.ts';
import { findPostsByStructure } from '../forum/thread-structure.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage, Stage } from '../stage.ts';
import { PAGE_TYPES, type PageType } from './page-type.ts';

/** Minimum share of linked text for a page to be a listing. More reliably detected types need more. */
const MIN_LINKED_SHARE_OF_LISTING: Partial<Record<PageType, number>> = { service: 0.3, article: 0.6 };
const MIN_LISTING_LINKS = 10;
/** A page detected as an article stays one if it has this much prose. Characters that are not blank. */
const MIN_ARTICLE_PROSE = 250;
/** A page becomes an article if it has at least this share of prose, */
const MIN_ARTICLE_PROSE_SHARE = 0.6;
/** at most this share of linked text, */
const MAX_ARTICLE_LINKED_SHARE = 0.2;
/** and at least this share of its prose in the children of one element. */
const MIN_ADJACENT_PROSE_SHARE = 0.6;

/** A single element may have a post's class by chance. */
const MIN_POSTS_BY_MARKUP = 2;

/** Corrects the detected type of a page by the structure of what remains after pruning. */
export const pageTypeStage: Stage = {
  name: 'infer page type',
  types: PAGE_TYPES,
  run({ index, pruned }) {
    const type = inferPageType(index, pruned);
    return type === index.type ? undefined : { restartAs: type };
  },
};

function inferPageType(index: PageIndex, pruned: PrunedPage): PageType {
  const { type, body, measures } = index;
  const { remaining, linkListLength } = pruned;
  if (type !== 'forum' && findPostsByMarkup(index, pruned).length >= MIN_POSTS_BY_MARKUP) return 'forum';
  if (type !== 'forum' && findPostsByStructure(index, pruned).length > 0) return 'forum';
  const rest = remaining.get(body);
  if (!rest) return type;
  const linked = (rest.linked + linkListLength) / (rest.length + linkListLength || 1);
  const isListed =
    linked > (MIN_LINKED_SHARE_OF_LISTING[type] ?? 1) &&
    (measures.get(body)?.links ?? 0) >= MIN_LISTING_LINKS;
  if (isListed && !(type === 'article' && rest.prose >= MIN_ARTICLE_PROSE)) return 'listing';
  const isProse = rest.prose > MIN_ARTICLE_PROSE_SHARE * rest.length && linked < MAX_ARTICLE_LINKED_SHARE;
  return type === 'service' && isProse && largestAdjacentProseShare(remaining) > MIN_ADJACENT_PROSE_SHARE
    ? 'article'
    : type;
}

/** The largest share of all prose in the children of one element, from 0 to 1. */
function largestAdjacentProseShare(remaining: PrunedPage['remaining']): number {
  const inOne = new Map<Element['parent'], number>();
  let all = 0;
  let largest = 0;
  for (const element of remaining.keys()) {
    const { prose } = remaining.get(element)!;
    const isPassage =
      prose > 0 && !element.children.some((child) => isTag(child) && (remaining.get(child)?.prose ?? 0) > 0);
    if (!isPassage) continue;
    const { parent } = element;
    const holder = element.name === 'li' ? (parent?.parent ?? null) : parent;
    const sum = (inOne.get(holder) ?? 0) + prose;
    inOne.set(holder, sum);
    all += prose;
    largest = Math.max(largest, sum);
  }
  return all && largest / all;
}
