import { type Element, isTag } from 'domhandler';
import { findAll } from 'domutils';
import { beginning, hasText, type Line } from './lines.ts';
import type { Measure } from './measure.ts';
import type { Pruned } from './pruning.ts';
import type { Survey } from './survey.ts';

/** How lines and headings begin that lead to other articles. */
const REFERRAL = beginning(
  '(explore further|read next|in case you missed it|recommended|related( \\w+){0,2})\\W*$',
  "(more|other)( [\\w'’]+){0,3} (stories|articles|coverage|reading|news)\\W*$",
  '(read|see|watch) (more|also|next)\\b(?! about)|also (read|see|watch|on)\\b|must read\\b',
  'related( \\w+)?\\s*[:|]|more\\s*[:|]|more:?\\W*$|don.t miss\\s*:|you (may|might) also (like|enjoy)|popular on\\b|our standards:',
  'lee también|leia (também|mais)|veja também|lire aussi|à lire aussi|lesen sie auch|lies auch|mehr zum thema|leggi anche|lees ook',
);
/** What refers to other articles has so few characters that are in no link. */
const LONGEST_LABEL = 40;
/** Least share of links in what consists of them. */
const MOSTLY = 0.5;

/** What leads from a line to other articles: itself, and the links below it where it is the label of some. */
export function referralsAt(
  { element, text, rest }: Line,
  { measures }: Survey,
  { left }: Pruned,
): Element[] {
  if (isTagList(element, rest)) return [element];
  if (rest.length - rest.linked > LONGEST_LABEL || !REFERRAL.test(text)) return [];
  if (rest.links > 0) return [element];
  // Lists of links may be dropped already.
  const links = linksAfter(element, (one) => left.get(one) ?? measures.get(one));
  return links.length ? [element, ...links] : [];
}

/** What WordPress and others list an article under. */
const isTagList = (element: Element, { linked, length, links }: Measure) =>
  links > 0 &&
  linked > MOSTLY * length &&
  findAll(({ name }) => name === 'a', [element]).every(({ attribs }) =>
    /\b(tag|category)\b/.test(attribs.rel ?? ''),
  );

/** What comes next to a label and consists of links. */
function linksAfter({ next }: Element, measureOf: (element: Element) => Measure | undefined): Element[] {
  const links: Element[] = [];
  for (let at = next; at && !hasText(at); at = at.next) {
    const rest = isTag(at) ? measureOf(at) : undefined;
    if (!isTag(at) || !rest || rest.length === 0) continue;
    if (at.name === 'h1' || !consistsOfLinks(at, rest)) break;
    links.push(at);
  }
  return links;
}

/** Each item of a list leads somewhere, whatever it says beside. */
const consistsOfLinks = ({ name, children }: Element, { links, linked, length }: Measure) =>
  linked > MOSTLY * length || (/^[uo]l$/.test(name) && links >= children.filter(isTag).length);
