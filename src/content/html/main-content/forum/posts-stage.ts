import type { Stage } from '../stage.ts';
import { dropRepeatedQuotes } from './post-quotes.ts';
import { findReplyDepths } from './reply-depth.ts';
import { dropAllExcept, findThread } from './thread-posts.ts';

/**
 * Reduces a thread to its posts with their authors and dates, where answers are quoted below what they answer. A page without posts goes on to the next stage.
 */
export const postsStage: Stage = {
  name: 'keep posts',
  types: ['forum'],
  run({ index, pruned }) {
    const thread = findThread(index, pruned);
    if (!thread) return undefined;
    dropRepeatedQuotes(thread.posts, pruned);
    dropAllExcept([...thread.posts, ...thread.authors], index, pruned);
    for (const [element, levels] of findReplyDepths(thread.marks)) pruned.dropped.quotes.set(element, levels);
    return 'finished';
  },
};
