import type { ChildNode, Element } from 'domhandler';
import { textContent } from 'domutils';
import { isParentElement, isTag } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import { type ElementMeasure, isHeading } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { BOILERPLATE_HEADINGS } from './boilerplate-headings.ts';

/** Longer headings describe content. Characters that are not blank. */
const MAX_HEADING_LENGTH = 60;
/** A section with a larger share of the page is content whatever its heading. */
const MAX_SECTION_SHARE = 0.5;

/** The elements of all sections whose headings mark them as boilerplate. */
export function findBoilerplateSections(index: PageIndex): Set<Element> {
  const sections = new Set<Element>();
  for (const heading of index.elements) {
    const measured = isHeading(heading) && index.measures.get(heading);
    if (!measured || measured.length === 0 || measured.length > MAX_HEADING_LENGTH) continue;
    const title = oneLine(textContent(heading));
    if (!BOILERPLATE_HEADINGS[index.type].test(title)) continue;
    const section = findSection(heading, measured, index);
    sections.add(section);
    const isBare = (index.measures.get(section)?.length ?? 0) < 1.5 * measured.length;
    if (isBare) addFollowing(section, levelOf(heading), index, sections);
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

/** Adds the siblings after a heading up to the next heading of the same or a higher level. */
function addFollowing(section: Element, level: number, index: PageIndex, to: Set<Element>): void {
  let share = 0;
  for (let next: ChildNode | null = section.next; next; next = next.next) {
    if (!isTag(next)) continue;
    const measured = index.measures.get(next);
    if (!measured) continue;
    share += index.shareOf(measured);
    if (share > MAX_SECTION_SHARE || index.contentAncestors.has(next) || measured.rank <= level) return;
    to.add(next);
  }
}

const levelOf = ({ name }: Element) => Number(name[1]);
