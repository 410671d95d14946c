import { type Element, isTag } from 'domhandler';
import type { Pruned } from './pruning.ts';
import type { Survey } from './survey.ts';

/** Share of what is left of a page that its posts must have. */
const LEAST_SHARE = 0.3;

/** How software for forums marks the element that holds what a post says, without its author, signature and buttons. */
const CLASSES = [
  // Stack Exchange, with remarks
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
const NAMED = new RegExp(`(?:^|\\s)(${CLASSES.join('|')})(?=\\s|$)`);
/** vBulletin 3 and 4, MyBB, Simple Machines. */
const NUMBERED = /^(post_message|pid|msg)_\d+$/;

/** What the element that holds a post is called, by whatever attribute; posts of a page have the same name. */
function nameOf({ attribs, parent }: Element): string | undefined {
  const { id, class: classes = '', component } = attribs;
  const [, named] = NAMED.exec(classes) ?? [];
  if (named) return named;
  // Invision 4 and NodeBB.
  if (attribs['data-role'] === 'commentContent') return 'commentContent';
  if (component === 'post/content') return component;
  if (id) return NUMBERED.exec(id)?.[1];
  return classes === 'content' && isInPhpbb(parent) ? 'postbody' : undefined;
}

function isInPhpbb(parent: Element['parent']): boolean {
  return [parent, parent?.parent].some((one) => one && isTag(one) && one.attribs.class === 'postbody');
}

/** The texts of a thread's posts by what forum software calls them; none if the page is not of one that is known. */
export function namedPosts({ body }: Survey, { left, dropped }: Pruned): Element[] {
  const found = new Map<string, { posts: Element[]; length: number }>();
  const visit = (element: Element) => {
    const rest = left.get(element);
    if (!rest || rest.length === 0 || dropped.has(element)) return;
    const name = nameOf(element);
    if (name) {
      const alike = found.get(name) ?? { posts: [], length: 0 };
      found.set(name, alike);
      alike.posts.push(element);
      alike.length += rest.length;
    } else for (const child of element.children) if (isTag(child)) visit(child);
  };
  visit(body);
  const [most] = [...found.values()].sort((one, other) => other.length - one.length);
  return most && most.length >= LEAST_SHARE * (left.get(body)?.length ?? 0) ? most.posts : [];
}
