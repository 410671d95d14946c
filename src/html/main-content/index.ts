import type { Document, Element } from 'domhandler';
import type { Snapshot } from '../../snapshot.ts';
import { narrowToContentRoot } from './content-root.ts';
import { findPostAuthors } from './forum/post-authors.ts';
import { dropRepeatedQuotes } from './forum/post-quotes.ts';
import { dropAllExcept, findPosts } from './forum/thread-posts.ts';
import { indexPage } from './page-index/page-index.ts';
import { inferPageType } from './page-type/infer-page-type.ts';
import { detectPageType, type PageType } from './page-type/page-type.ts';
import { prune } from './pruning/prune.ts';
import { dropCallsToAction } from './tidying/calls-to-action.ts';
import { dropDuplicateBlocks } from './tidying/duplicate-blocks.ts';
import { dropDuplicateLabels } from './tidying/duplicate-labels.ts';
import { dropMetaLines } from './tidying/meta-lines.ts';

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
