import type { Document, Element } from 'domhandler';
import type { Snapshot } from '../snapshot.ts';
import { dropCalls } from './main-content/calls.ts';
import { dropEchoes } from './main-content/echoes.ts';
import { focus } from './main-content/focus.ts';
import { dropNotes } from './main-content/notes.ts';
import { claimedType, type PageType } from './main-content/page-type.ts';
import { postersOf } from './main-content/posters.ts';
import { dropAround, postsOf } from './main-content/posts.ts';
import { prune } from './main-content/pruning.ts';
import { dropQuotes } from './main-content/quotes.ts';
import { dropRepeats } from './main-content/repeats.ts';
import { typeByStructure } from './main-content/structure.ts';
import { survey } from './main-content/survey.ts';

/** Less is not what a long page is about: then the replies to it are. Characters that are not blanks. */
const SHORTEST_CONTENT = 150;
const LONG_PAGE = 1_500;

/** What is quoted or referred to is there twice on purpose. */
const REPEATING: PageType[] = ['forum', 'documentation'];
/** Made of cards and carousels. */
const ECHOING: PageType[] = ['listing', 'product', 'service'];

/**
 * What surrounds the main content of a page: the parts beside it that their tags, roles, names and headings give away,
 * and then all that is outside the element which holds the content. How much of that there is depends on the type of
 * the page, which it claims itself or its structure tells. Takes time in proportion to the page's size.
 */
export function surroundingsOf(
  page: Document,
  { url, engine }: Pick<Snapshot, 'url' | 'engine'>,
): Set<Element> {
  const isScripted = engine === 'browser';
  const claimed = claimedType(page, url);
  const surroundings = (type: PageType): Set<Element> => {
    const surveyed = survey(page, { type, claimed }, isScripted);
    if (!surveyed) return new Set();
    const pruned = prune(surveyed);
    const better = typeByStructure(surveyed, pruned);
    if (better !== type) return surroundings(better);
    const posts = type === 'forum' ? postsOf(surveyed, pruned) : [];
    if (posts.length) {
      dropQuotes(posts, pruned);
      dropAround([...posts, ...postersOf(posts, surveyed)], surveyed, pruned);
      return pruned.dropped;
    }
    const root = focus(surveyed, pruned);
    const isTooLittle =
      (pruned.left.get(root)?.length ?? 0) < SHORTEST_CONTENT &&
      (surveyed.measures.get(surveyed.body)?.length ?? 0) > LONG_PAGE;
    if (isTooLittle && type !== 'forum') return surroundings('forum');
    if (type === 'article') dropCalls(root, surveyed, pruned);
    if (type === 'documentation') dropNotes(root, pruned);
    if (!REPEATING.includes(type)) dropRepeats(root, pruned);
    if (ECHOING.includes(type)) dropEchoes(root, pruned);
    return pruned.dropped;
  };
  return surroundings(claimed);
}
