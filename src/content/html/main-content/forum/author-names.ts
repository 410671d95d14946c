import type { Element } from 'domhandler';
import { findAll, textContent } from 'domutils';

/** Longer texts are no names. Characters that are not blank. */
export const MAX_NAME_LENGTH = 40;
/** Classes of a post's author, including compound ones such as `MessageCard__user-info__name`. */
const AUTHOR_CLASS =
  /(^|[\s_-])((user|author|member|poster|nick|screen|display|profile|message)([-_]?info)?[-_]{0,2}name|author|username\S*|poster|creator|nick)(?=\s|$)|(^|\s)(hn)?user(?=\s|$)/i;
/** URLs of user profiles. */
const PROFILE_URL =
  /\/(u|users?|members?|profile|people|author)\/|member(list)?\.php|action=profile|\/user(\?|-\d)|\/~\w/i;

/** Whether the class names of an element say that it has the author of a post. */
export const isNamedAuthor = ({ attribs }: Element) => AUTHOR_CLASS.test(attribs.class ?? '');

/** Whether an element is a link to the profile of a user. */
export const isProfileLink = ({ name, attribs }: Element) =>
  name === 'a' && PROFILE_URL.test(attribs.href ?? '');

/** Whether an element has the name of an author, by its marks. */
export const isAuthorName = (element: Element) =>
  element.attribs.itemprop === 'author' ||
  element.attribs.rel === 'author' ||
  isNamedAuthor(element) ||
  (isProfileLink(element) && !findAll(isAvatar, element.children).length);

const isAvatar = ({ name, attribs }: Element) => name === 'img' || /avatar/i.test(attribs.class ?? '');

/** Whether an element is a link whose URL ends with its own text, as that of a user named so. */
export function isLinkByName({ name, attribs, children }: Element): boolean {
  if (name !== 'a' || !attribs.href) return false;
  const text = keyOf(textContent(children));
  const [last = ''] = attribs.href.split(/[/=]/).filter(Boolean).slice(-1);
  return text.length > 1 && /\p{L}/u.test(text) && keyOf(last) === text;
}

const keyOf = (text: string) => text.trim().replace(/^@/, '').toLowerCase();
