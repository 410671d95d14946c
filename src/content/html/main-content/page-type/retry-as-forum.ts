import { findBylinedPosts } from '../forum/thread-structure.ts';
import { allTypesExcept, type Stage } from '../stage.ts';

/** A root with less text has no content. Characters that are not blank. */
const MIN_CONTENT_LENGTH = 150;
/** A shorter page may have little content. Characters that are not blank. */
const MIN_LONG_PAGE_LENGTH = 1_500;
/** Texts with an author and a date that may be the content. */
const MIN_POSTS = 2;

/** Filters a long page again as a forum if hardly any content was found but comments are there: they are the
 * content. */
export const retryAsForumStage: Stage = {
  name: 'retry as forum',
  types: allTypesExcept('forum'),
  run({ index, pruned, root }) {
    const isTooLittle = (pruned.remaining.get(root)?.length ?? 0) < MIN_CONTENT_LENGTH;
    const isLongPage = (index.measures.get(index.body)?.length ?? 0) > MIN_LONG_PAGE_LENGTH;
    return isTooLittle && isLongPage && findBylinedPosts(index).length >= MIN_POSTS
      ? { restartAs: 'forum' }
      : undefined;
  },
};
