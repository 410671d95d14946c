import type { Document, Element, ParentNode } from 'domhandler';
import { findAll } from 'domutils';

/** What surrounds the content on most sites (compatibility 5.3), by tag, class and id. */
const TAGS = new Set(['header', 'footer', 'nav', 'aside']);
const CLASSES = new Set(
  (
    'header top navbar footer bottom sidebar side aside modal popup overlay ad ads advert lang-selector language ' +
    'social social-media social-links menu navigation breadcrumbs share widget cookie fc-decoration'
  ).split(' '),
);
const IDS = new Set(
  'header footer sidebar modal ad language-selector social nav breadcrumbs share widget cookie'.split(' '),
);

/** What surrounds the main content of a page; never an element that holds the main content. */
export function surroundingsOf(page: Document): Element[] {
  const holders = new Set<ParentNode>();
  for (const content of findAll(({ attribs }) => attribs.id === 'main', page.children)) {
    for (let at = content.parent; at && !holders.has(at); at = at.parent) holders.add(at);
  }
  return findAll((element) => isSurrounding(element) && !holders.has(element), page.children);
}

function isSurrounding({ name, attribs }: Element): boolean {
  if (name === 'body' || name === 'html') return false;
  const { id, class: classes } = attribs;
  return (
    TAGS.has(name) ||
    (id !== undefined && IDS.has(id)) ||
    (classes?.split(/\s+/).some((each) => CLASSES.has(each)) ?? false)
  );
}
