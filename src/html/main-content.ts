import type { Document, Element } from 'domhandler';
import { removeElement } from 'domutils';
import { select } from './clean.ts';

/** What surrounds the content on most sites (compatibility 5.3). */
const SURROUNDINGS = [
  'header, footer, nav, aside, .header, .top, .navbar, #header, .footer, .bottom, #footer',
  '.sidebar, .side, .aside, #sidebar, .modal, .popup, #modal, .overlay, .ad, .ads, .advert, #ad',
  '.lang-selector, .language, #language-selector, .social, .social-media, .social-links, #social',
  '.menu, .navigation, #nav, .breadcrumbs, #breadcrumbs, .share, #share, .widget, #widget, .cookie, #cookie',
].join(', ');

/** What is kept although it, or something around it, looks like surroundings. */
const CONTENT = '#main, main, article';

/** Removes the surroundings; one that holds the content itself stays. */
export function keepMainContent(document: Document): void {
  const content = select(CONTENT, document);
  for (const element of select(SURROUNDINGS, document)) {
    if (!content.some((each) => contains(element, each))) removeElement(element);
  }
}

function contains(outer: Element, inner: Element): boolean {
  for (let at: Element['parent'] | Element = inner; at; at = at.parent) if (at === outer) return true;
  return false;
}
