import type { Element } from 'domhandler';
import { findAll } from 'domutils';
import { isTag } from '../../nodes.ts';
import type { Measure } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PrunedPage } from '../stage.ts';
import { isTextNode, lineStartPattern, type TextLine } from './text-lines.ts';

/** The beginnings of lines and headings that introduce links to other articles. */
const RELATED_LABEL = lineStartPattern(
  '(explore further|read next|in case you missed it|recommended|related( \\w+){0,2})\\W*$',
  "(more|other)( [\\w'’]+){0,3} (stories|articles|coverage|reading|news)\\W*$",
  '(read|see|watch) (more|also|next)\\b(?! about)|also (read|see|watch|on)\\b|must read\\b',
  'related( \\w+)?\\s*[:|]|more\\s*[:|]|more:?\\W*$|don.t miss\\s*(:|\\W*$)|you (may|might) also (like|enjoy)|popular on\\b|our standards:',
  'lee también|leia (também|mais)|veja também|lire aussi|à lire aussi|lesen sie auch|lies auch|mehr zum thema|leggi anche|lees ook',
);
/** A line with more characters outside of links is text. */
const MAX_UNLINKED_LENGTH = 40;
/** Minimum share of linked text in an element that consists of links. */
const MIN_LINKED_SHARE = 0.5;

/**
 * The elements to drop if a line refers to other articles: the line, and the links below it if it is their
 * label.
 */
export function findRelatedLinks(
  { element, text, measure }: TextLine,
  { measures }: PageIndex,
  { remaining }: PrunedPage,
): Element[] {
  if (isTagList(element, measure)) return [element];
  if (measure.length - measure.linked > MAX_UNLINKED_LENGTH || !RELATED_LABEL.test(text)) return [];
  if (measure.links > 0) return [element];
  // Lists of links may already have been dropped.
  const links = findLinksAfter(element, (one) => remaining.get(one) ?? measures.get(one));
  return links.length ? [element, ...links] : [];
}

/** Whether a line lists the tags or categories of an article, as in WordPress. */
const isTagList = (element: Element, { linked, length, links }: Measure) =>
  links > 0 &&
  linked > MIN_LINKED_SHARE * length &&
  findAll(({ name }) => name === 'a', [element]).every(({ attribs }) =>
    /\b(tag|category)\b/.test(attribs.rel ?? ''),
  );

/** The siblings after a label that consist of links. */
function findLinksAfter({ next }: Element, measureOf: (element: Element) => Measure | undefined): Element[] {
  const links: Element[] = [];
  for (let at = next; at && !isTextNode(at); at = at.next) {
    const rest = isTag(at) ? measureOf(at) : undefined;
    if (!isTag(at) || !rest || rest.length === 0) continue;
    if (at.name === 'h1' || !consistsOfLinks(at, rest)) break;
    links.push(at);
  }
  return links;
}

/** Whether most of an element's text is linked, or each item of a list has a link. */
const consistsOfLinks = ({ name, children }: Element, { links, linked, length }: Measure) =>
  linked > MIN_LINKED_SHARE * length || (/^[uo]l$/.test(name) && links >= children.filter(isTag).length);
