import type { Document, Element } from 'domhandler';
import type { Snapshot } from '../snapshot.ts';
import { dropCallsToAction } from './main-content/calls-to-action.ts';
import { narrowToContentRoot } from './main-content/content-root.ts';
import { dropDuplicateBlocks } from './main-content/duplicate-blocks.ts';
import { dropDuplicateLabels } from './main-content/duplicate-labels.ts';
import { inferPageType } from './main-content/inferred-type.ts';
import { dropMetaLines } from './main-content/meta-lines.ts';
import { indexPage } from './main-content/page-index.ts';
import { detectPageType, type PageType } from './main-content/page-type.ts';
import { findPostAuthors } from './main-content/post-authors.ts';
import { dropRepeatedQuotes } from './main-content/post-quotes.ts';
import { prune } from './main-content/pruning.ts';
import { dropAllExcept, findPosts } from './main-content/thread-posts.ts';

/** Shorter content of a long page means that its comments are the content. Characters that are not blank. */
const MIN_CONTENT_LENGTH = 150;
const MIN_LONG_PAGE_LENGTH = 1_500;

/** Page types that repeat text on purpose. */
const TYPES_WITH_REPETITION: PageType[] = ['forum', 'documentation'];
/** Page types that consist of cards and carousels. */
const TYPES_WITH_CARDS: PageType[] = ['listing', 'product', 'service'];

/**
 * Finds the elements of a page that are not main content: first those that tags, roles, names and headings identify,
 * then everything outside of the element with the content. The thresholds depend on the type of the page, which is
 * detected from its signals and corrected by its structure. Takes time in proportion to the page's size.
 */
export function findBoilerplate(
  page: Document,
  { url, engine }: Pick<Snapshot, 'url' | 'engine'>,
): Set<Element> {
  const isScripted = engine === 'browser';
  const detectedType = detectPageType(page, url);
  const surroundings = (type: PageType): Set<Element> => {
    const index = indexPage(page, { type, detectedType }, isScripted);
    if (!index) return new Set();
    const pruned = prune(index);
    const better = inferPageType(index, pruned);
    if (better !== type) return surroundings(better);
    const posts = type === 'forum' ? findPosts(index, pruned) : [];
    if (posts.length) {
      dropRepeatedQuotes(posts, pruned);
      dropAllExcept([...posts, ...findPostAuthors(posts, index)], index, pruned);
      return pruned.dropped;
    }
    const root = narrowToContentRoot(index, pruned);
    const isTooLittle =
      (pruned.remaining.get(root)?.length ?? 0) < MIN_CONTENT_LENGTH &&
      (index.measures.get(index.body)?.length ?? 0) > MIN_LONG_PAGE_LENGTH;
    if (isTooLittle && type !== 'forum') return surroundings('forum');
    if (type === 'article') dropCallsToAction(root, index, pruned);
    if (type === 'documentation') dropMetaLines(root, pruned);
    if (!TYPES_WITH_REPETITION.includes(type)) dropDuplicateBlocks(root, pruned);
    if (TYPES_WITH_CARDS.includes(type)) dropDuplicateLabels(root, pruned);
    return pruned.dropped;
  };
  return surroundings(detectedType);
}
