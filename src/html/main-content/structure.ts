import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import type { PageType } from './page-type.ts';
import { namedPosts } from './post-names.ts';
import type { Pruned } from './pruning.ts';
import type { Survey } from './survey.ts';

/** From so much linked text on, a page is a list; the better a type is claimed, the more. */
const LINKED_LISTING: Partial<Record<PageType, number>> = { service: 0.3, article: 0.6 };
const FEWEST_LINKS = 10;
/** An article has some prose, whatever is linked beside it. */
const LEAST_PROSE_IN_ARTICLE = 250;
/** An article is so much prose and no more linked text, */
const LEAST_PROSE = 0.6;
const MOST_LINKED = 0.2;
/** and so much of its prose stands side by side in one element. */
const LEAST_TOGETHER = 0.6;

/** A single one may be called so by chance. */
const FEWEST_POSTS = 2;

/** The type of a page that claimed none, or a doubtful one, by what is left of it without its other parts. */
export function typeByStructure(survey: Survey, pruned: Pruned): PageType {
  const { type, body, measures } = survey;
  const { left, linkLists } = pruned;
  if (type !== 'forum' && namedPosts(survey, pruned).length >= FEWEST_POSTS) return 'forum';
  const rest = left.get(body);
  if (!rest) return type;
  const linked = (rest.linked + linkLists) / (rest.length + linkLists || 1);
  const isListed = linked > (LINKED_LISTING[type] ?? 1) && (measures.get(body)?.links ?? 0) >= FEWEST_LINKS;
  if (isListed && !(type === 'article' && rest.prose >= LEAST_PROSE_IN_ARTICLE)) return 'listing';
  const isProse = rest.prose > LEAST_PROSE * rest.length && linked < MOST_LINKED;
  return type === 'service' && isProse && togetherness(left) > LEAST_TOGETHER ? 'article' : type;
}

/** The largest share of all prose that stands side by side in one element. */
function togetherness(left: Pruned['left']): number {
  const inOne = new Map<Element['parent'], number>();
  let all = 0;
  let most = 0;
  for (const [element, { prose }] of left) {
    const isPassage =
      prose > 0 && !element.children.some((child) => isTag(child) && (left.get(child)?.prose ?? 0) > 0);
    if (!isPassage) continue;
    const { parent } = element;
    const holder = element.name === 'li' ? (parent?.parent ?? null) : parent;
    const sum = (inOne.get(holder) ?? 0) + prose;
    inOne.set(holder, sum);
    all += prose;
    most = Math.max(most, sum);
  }
  return all && most / all;
}
