import { type ChildNode, type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { oneLine } from '../text.ts';
import { isHeading, type Measured } from './measure.ts';
import { TITLES_BESIDE } from './section-titles.ts';
import type { Survey } from './survey.ts';

/** Longer headings are about something. */
const LONGEST_HEADING = 60;
/** A larger share of the page is not a section beside the content, whatever its heading. */
const MOST = 0.5;

/** Sections that their headings announce as something else than the content: what to drop for each. */
export function sectionsBeside(survey: Survey): Set<Element> {
  const beside = new Set<Element>();
  for (const [heading, measured] of survey.measures) {
    if (!isHeading(heading) || measured.length === 0 || measured.length > LONGEST_HEADING) continue;
    const title = oneLine(textContent(heading));
    if (!TITLES_BESIDE[survey.type].test(title)) continue;
    const section = sectionOf(heading, measured, survey);
    beside.add(section);
    const isBare = (survey.measures.get(section)?.length ?? 0) < 1.5 * measured.length;
    if (isBare) addFollowing(section, levelOf(heading), survey, beside);
  }
  return beside;
}

/** The largest element that begins with a heading and is not too large. */
function sectionOf(
  heading: Element,
  { start }: Measured,
  { body, measures, holders, shareOf }: Survey,
): Element {
  let section = heading;
  for (let at = heading.parent; at && isTag(at) && at !== body && !holders.has(at); at = at.parent) {
    const measured = measures.get(at);
    if (!measured || measured.start < start || shareOf(measured) > MOST) break;
    section = at;
  }
  return section;
}

/** Adds what follows a heading up to the next one of its rank. */
function addFollowing(section: Element, level: number, survey: Survey, to: Set<Element>): void {
  let share = 0;
  for (let next: ChildNode | null = section.next; next; next = next.next) {
    if (!isTag(next)) continue;
    const measured = survey.measures.get(next);
    if (!measured) continue;
    share += survey.shareOf(measured);
    if (share > MOST || survey.holders.has(next) || measured.rank <= level) return;
    to.add(next);
  }
}

const levelOf = ({ name }: Element) => Number(name[1]);
