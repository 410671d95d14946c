import type { Stage } from '../stage.ts';
import { findPostAuthors } from './post-authors.ts';
import { dropRepeatedQuotes } from './post-quotes.ts';
import { dropAllExcept, findPosts } from './thread-posts.ts';

/**
 * Reduces a thread to its posts with their authors and dates. A page without posts goes on to the next stage.
 */
export const postsStage: Stage = {
  name: 'keep posts',
  types: ['forum'],
  run({ index, pruned }) {
    const posts = findPosts(index, pruned);
    if (posts.length === 0) return undefined;
    dropRepeatedQuotes(posts, pruned);
    dropAllExcept([...posts, ...findPostAuthors(posts, index)], index, pruned);
    return 'finished';
  },
};
