import type { ChildNode, Element } from 'domhandler';
import { textContent } from 'domutils';
import { isHeading, isParentElement, isTag } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import { isParagraph } from '../evidence/outline.ts';
import type { ElementMeasure } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { BOILERPLATE_HEADINGS } from './boilerplate-headings.ts';

/** Longer headings describe content. Characters that are not blank. */
const MAX_HEADING_LENGTH = 60;
/** A section with a larger share of the page is content whatever its heading. */
const MAX_SECTION_SHARE = 0.5;

/** Headings of lists of links. A section with anything else is what its heading says. */
const LISTS_OF_LINKS =
  /^((table of )?contents|on this page|categories|tags|archives|kategorien|schlagworte|schlagwörter|catégories|étiquettes|categorías|etiquetas)(?!\p{L})/iu;
const MIN_LINKED_SHARE = 0.5;

/** Elements with one passage of text, and the share of their text that may be linked. */
const TEXT = new Set(['p', 'pre', 'dl', 'table', 'blockquote']);
const MAX_LINKED_SHARE = 0.4;
const LISTS = new Set(['ul', 'ol']);
/** Sections of text at the level of a heading that make it the end of their outline. */
const MIN_SECTIONS_BEFORE = 2;
/** A passage with less text is a label. Characters that are not blank. */
const MIN_PASSAGE_LENGTH = 50;

/** The elements of all sections whose headings mark them as boilerplate, with these headings. */
export function findBoilerplateSections(index: PageIndex): Map<Element, string> {
  const sections = new Map<Element, string>();
  for (const heading of index.elements) {
    const measured = isHeading(heading) && index.measures.get(heading);
    if (index.titled.has(heading)) continue;
    if (!measured || measured.length === 0 || measured.length > MAX_HEADING_LENGTH) continue;
    const title = oneLine(textContent(heading));
    if (!BOILERPLATE_HEADINGS[index.type].test(title)) continue;
    const section = findSection(heading, measured, index);
    const isBare = (index.measures.get(section)?.length ?? 0) < 1.5 * measured.length;
    const following = isBare ? findFollowing(section, levelOf(heading), index) : [];
    // A heading among paragraphs is one of the outline, whatever it says.
    if (following.some((next) => isRunningText(next, index.measures.get(next)))) continue;
    if (section === heading && (isOutlined(heading, index) || isEndOfOutline(heading, title, index)))
      continue;
    const parts = [section, ...following];
    if (LISTS_OF_LINKS.test(title) && !areLinks(parts, heading, index)) continue;
    for (const part of parts) sections.set(part, title);
  }
  return sections;
}

/** The largest ancestor that begins with the heading and is at most `MAX_SECTION_SHARE` of the page. */
function findSection(
  heading: Element,
  { start }: ElementMeasure,
  { body, measures, contentAncestors, shareOf }: PageIndex,
): Element {
  let section = heading;
  for (
    let at = heading.parent;
    isParentElement(at) && at !== body && !contentAncestors.has(at);
    at = at.parent
  ) {
    const measured = measures.get(at);
    if (!measured || measured.start < start || shareOf(measured) > MAX_SECTION_SHARE) break;
    section = at;
  }
  return section;
}

/** The siblings after a heading up to the next heading of the same or a higher level. */
function findFollowing(section: Element, level: number, index: PageIndex): Element[] {
  const following: Element[] = [];
  let share = 0;
  for (let next: ChildNode | null = section.next; next; next = next.next) {
    if (!isTag(next)) continue;
    const measured = index.measures.get(next);
    if (!measured) continue;
    share += index.shareOf(measured);
    if (share > MAX_SECTION_SHARE || index.contentAncestors.has(next) || measured.rank <= level) break;
    following.push(next);
  }
  return following;
}

/**
 * Whether a heading stands between headings of its level that introduce text, and so is one of the outline
 * although only links follow it.
 */
const isOutlined = (heading: Element, index: PageIndex): boolean =>
  isAfterSection(heading, index) && isBeforeSection(heading, index);

/**
 * Whether a heading follows several sections of a text at its level and would mark nothing in an article. The end of a manual
 * on a page that looks like that of a service is a list of links as well, such as "Resources".
 */
function isEndOfOutline(heading: Element, title: string, index: PageIndex): boolean {
  if (index.type !== 'service' || BOILERPLATE_HEADINGS.article.test(title)) return false;
  let sections = 0;
  let hasText = false;
  for (let at = heading.prev; at && sections < MIN_SECTIONS_BEFORE; at = at.prev) {
    if (!isTag(at)) continue;
    if (at.name === heading.name) {
      if (hasText) sections++;
      hasText = false;
    } else if (isHeading(at) && levelOf(at) < levelOf(heading)) break;
    else hasText ||= isPassage(at, index);
  }
  return sections >= MIN_SECTIONS_BEFORE;
}

function isAfterSection(heading: Element, index: PageIndex): boolean {
  let hasText = false;
  for (let at = heading.prev; at; at = at.prev) {
    if (!isTag(at)) continue;
    if (isHeading(at) && levelOf(at) <= levelOf(heading)) return hasText && at.name === heading.name;
    hasText ||= isPassage(at, index);
  }
  return false;
}

function isBeforeSection(heading: Element, index: PageIndex): boolean {
  let isNext = false;
  for (let at = heading.next; at; at = at.next) {
    if (!isTag(at)) continue;
    if (isHeading(at) && levelOf(at) < levelOf(heading)) return false;
    if (isNext && isPassage(at, index)) return true;
    isNext ||= at.name === heading.name;
  }
  return false;
}

/** Whether an element is a passage or a list of a text. */
function isPassage(element: Element, { measures }: PageIndex): boolean {
  const { length = 0, linked = 0 } = measures.get(element) ?? {};
  const { name } = element;
  return (
    (TEXT.has(name) || LISTS.has(name)) && length >= MIN_PASSAGE_LENGTH && linked <= MAX_LINKED_SHARE * length
  );
}

/** Whether most of a section below its heading is links. */
function areLinks(parts: readonly Element[], heading: Element, { measures }: PageIndex): boolean {
  let length = -(measures.get(heading)?.length ?? 0);
  let linked = 0;
  for (const part of parts) {
    length += measures.get(part)?.length ?? 0;
    linked += measures.get(part)?.linked ?? 0;
  }
  return linked >= MIN_LINKED_SHARE * length;
}

/** Whether an element is one of the passages of a text. */
const isRunningText = (element: Element, measured: ElementMeasure | undefined): boolean =>
  (TEXT.has(element.name) || isParagraph(element)) &&
  measured !== undefined &&
  measured.prose > 0 &&
  measured.linked <= MAX_LINKED_SHARE * measured.length;

const levelOf = ({ name }: Element) => Number(name[1]);
