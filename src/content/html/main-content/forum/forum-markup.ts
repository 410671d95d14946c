import type { Element } from 'domhandler';
import { hasAttributes, isTag } from '../../nodes.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage } from '../stage.ts';

/** Minimum share of the remaining page for posts recognised by their markup. */
const MIN_POSTS_SHARE = 0.3;

/** Classes by which forum software marks the text of a post, without author, signature and buttons. */
const POST_CLASSES = [
  // Stack Exchange, including the comments
  'post-layout',
  // XenForo, Woltlab
  'message-body',
  'messageText',
  // vBulletin 5, MyBB
  'js-post__content-text',
  'post_body',
  // Invision 5
  'ipsRichText--user',
  // Discourse in a browser, Flarum, Vanilla, Khoros, bbPress, wpForo
  'cooked',
  'Post-body',
  'userContent',
  'lia-message-body-content',
  'bbp-reply-content',
  'wpforo-post-content',
  // Reddit, Hacker News, GitHub
  'usertext-body',
  'commtext',
  'js-comment-body',
];
const POST_CLASS = new RegExp(`(?:^|\\s)(${POST_CLASSES.join('|')})(?=\\s|$)`);
/** vBulletin 3 and 4, MyBB, Simple Machines. */
const POST_ID = /^(post_message|pid|msg)_\d+$/;

/**
 * The class, id prefix or attribute value that marks an element as a post. All posts of a page have the same
 * one.
 */
function postNameOf({ attribs, parent }: Element): string | undefined {
  const { id, class: classes = '', component } = attribs;
  const [, named] = (classes && POST_CLASS.exec(classes)) || [];
  if (named) return named;
  // Invision 4 and NodeBB.
  if (attribs['data-role'] === 'commentContent') return 'commentContent';
  if (component === 'post/content') return component;
  if (id) return POST_ID.exec(id)?.[1];
  return classes === 'content' && isInPhpbbPost(parent) ? 'postbody' : undefined;
}

function isInPhpbbPost(parent: Element['parent']): boolean {
  return [parent, parent?.parent].some((one) => one && isTag(one) && one.attribs.class === 'postbody');
}

/**
 * The elements with the texts of a thread's posts, by the markup of known forum software; empty for other
 * pages.
 */
export function findPostsByMarkup({ body }: PageIndex, pruned: PrunedPage): Element[] {
  const found: FoundPosts = new Map();
  collectPosts(body, pruned, found);
  const [largest] = [...found.values()].sort((one, other) => other.length - one.length);
  return largest && largest.length >= MIN_POSTS_SHARE * (pruned.remaining.get(body)?.length ?? 0)
    ? largest.posts
    : [];
}

/** Posts, and the length of their texts, by what marks them. */
type FoundPosts = Map<string, { posts: Element[]; length: number }>;

/** Collects the posts in an element. A post in another post is a part of it. */
function collectPosts(element: Element, pruned: PrunedPage, found: FoundPosts): void {
  const rest = pruned.remaining.get(element);
  if (!rest || rest.length === 0 || pruned.dropped.has(element)) return;
  const name = hasAttributes(element) ? postNameOf(element) : undefined;
  if (name) {
    const alike = found.get(name) ?? { posts: [], length: 0 };
    found.set(name, alike);
    alike.posts.push(element);
    alike.length += rest.length;
  } else for (const child of element.children) if (isTag(child)) collectPosts(child, pruned, found);
}
