import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { closest, firstElements, isParentElement } from '../../nodes.ts';
import { oneLine } from '../../text.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { isAuthorName, isLinkByName, MAX_NAME_LENGTH } from './author-names.ts';
import { DATE, findDates } from './post-dates.ts';

/** The author and the date of a post. */
export interface Byline {
  name: Element;
  date: Element;
  /** The largest element with no other byline: the post, or a part of it that has siblings. */
  unit: Element;
  /** What dates of the same kind share. */
  kind: string;
}

/** The characters of an element that are not blank. */
type LengthOf = (element: Element) => number;

/** Minimum share of the dates of one kind that are beside a name. */
const MIN_NAMED_SHARE = 0.6;
/** Least share of the page's running text in the elements with dates of one kind. */
const MIN_PROSE_SHARE = 0.3;
/** A date of a kind of its own is beside a name in an element with at most this text. Characters that are not blank. */
const MAX_SINGLE_LENGTH = 200;
/** Elements of a post in which its author is looked for. */
const MAX_VISITED = 60;
/** Levels above a date at which its author is looked for. */
const MAX_LEVELS = 12;
/** Names that only their place tells are shorter than those that are marked. */
const MAX_LABEL_LENGTH = 30;
const MAX_LABEL_WORDS = 4;
const LABELS = new Set(['a', 'b', 'strong', 'cite', 'span', 'h3', 'h4', 'h5', 'h6', 'dt']);

/** Finds the authors with dates of a page, in document order, by what stands beside each other in each post. */
export function findBylines(index: PageIndex): Byline[] {
  const lengthOf = (element: Element) => index.measures.get(element)?.length ?? 0;
  const dates = findDates(index);
  if (dates.length < 2) return [];
  const kinds = [...Map.groupBy(dates, kindOf)].map(([kind, alike]) => ({
    kind,
    units: findUnits(alike, index),
  }));
  if (!kinds.some(({ units }) => mayBeOfPosts(units, index))) return [];
  const named = new Map<Element, { name: Element; kind: string }>();
  const taken = new Set<Element>();
  // Of several dates beside the same name, those of the most frequent kind are the dates of the posts.
  for (const { kind, units } of kinds.sort((one, other) => other.units.size - one.units.size)) {
    const found = [...findNames(units, lengthOf)].filter(([, name]) => !taken.has(name));
    for (const [date, name] of found) {
      named.set(date, { name, kind });
      taken.add(name);
    }
  }
  const units = findUnits(
    dates.filter((date) => named.has(date)),
    index,
  );
  return [...units].map(([date, unit]) => ({ date, unit, ...named.get(date)! }));
}

/**
 * Whether dates of one kind may be those of posts, which is found in less time than their names: elements with
 * several of them have enough of the page's running text. The dates of teasers beside an article do not.
 * @param units the largest element around each date that has no other of them
 */
function mayBeOfPosts(units: ReadonlyMap<Element, Element>, { measures, body }: PageIndex): boolean {
  if (units.size < 2) return false;
  const proseOf = (element: Element) => measures.get(element)?.prose ?? 0;
  const around = new Set<Element>();
  for (const { parent } of units.values()) if (isParentElement(parent)) around.add(parent);
  let prose = 0;
  for (const element of around)
    if (!closest(element.parent, (at) => around.has(at))) prose += proseOf(element);
  return prose >= MIN_PROSE_SHARE * proseOf(body);
}

/** The tag and classes of an element and of the one around it. */
const kindOf = (element: Element): string =>
  [element, element.parent]
    .map((one) => (isParentElement(one) ? `${one.name}.${one.attribs.class ?? ''}` : ''))
    .join(' in ');

/** The largest element around each date that has no other of them. */
function findUnits(dates: readonly Element[], { body }: PageIndex): Map<Element, Element> {
  const counts = new Map<Element, number>();
  for (const date of dates)
    for (let at: Element['parent'] = date; isParentElement(at); at = at.parent) {
      const before = counts.get(at) ?? 0;
      // Only the difference between one and several matters, and every ancestor has at least as many.
      if (before > 1) break;
      counts.set(at, before + 1);
    }
  return new Map(
    dates.map((date) => {
      let unit = date;
      for (let at = unit.parent; isParentElement(at) && at !== body && counts.get(at) === 1; at = at.parent)
        unit = at;
      return [date, unit];
    }),
  );
}

/** The names beside dates of one kind, which are given with their units; none if most of these dates have no name. */
function findNames(units: ReadonlyMap<Element, Element>, lengthOf: LengthOf): Map<Element, Element> {
  const names = new Map<Element, Element>();
  for (const [date, unit] of units) {
    const name = findNearestName(date, unit, units.size > 1 ? Infinity : MAX_SINGLE_LENGTH, lengthOf);
    if (name) names.set(date, name);
  }
  if (names.size < MIN_NAMED_SHARE * units.size && units.size > 1) {
    const labels = new Map([...units].map(([date, unit]) => [date, shortElements(unit, date, lengthOf)]));
    const kind = findKindOfName([...labels.values()]);
    for (const [date, all] of labels) {
      const name = all.find((label) => kindOf(label) === kind);
      if (name) names.set(date, name);
    }
  }
  return names.size >= MIN_NAMED_SHARE * units.size ? names : new Map();
}

/** The marked name in the smallest element around a date that has one. */
function findNearestName(
  date: Element,
  unit: Element,
  most: number,
  lengthOf: LengthOf,
): Element | undefined {
  const around: Element[][] = [];
  for (let at: Element['parent'] = date; isParentElement(at) && lengthOf(at) <= most; at = at.parent) {
    around.push(shortElements(at, date, lengthOf));
    if (at === unit || around.length === MAX_LEVELS) break;
  }
  for (const isMarked of [isAuthorName, isLinkByName])
    for (const elements of around) {
      const name = elements.find(isMarked);
      if (name) return name;
    }
  return undefined;
}

/** The elements around a date that may be a name. */
const shortElements = (around: Element, date: Element, lengthOf: LengthOf): Element[] =>
  firstElements(around, MAX_VISITED).filter((element) => {
    const length = lengthOf(element);
    return length > 1 && length <= MAX_NAME_LENGTH && element !== date;
  });

/**
 * The kind of the first labels that most posts have and that differ between posts, as names do, but ranks and
 * controls do not.
 */
function findKindOfName(labels: readonly Element[][]): string | undefined {
  const texts = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const post of labels) {
    const seen = new Set<string>();
    for (const label of post) {
      const kind = kindOf(label);
      const text = oneLine(textContent(label));
      if (seen.has(kind) || !isLabel(label, text)) continue;
      seen.add(kind);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      texts.set(kind, (texts.get(kind) ?? new Set()).add(text));
    }
  }
  return [...counts].find(
    ([kind, count]) => count >= MIN_NAMED_SHARE * labels.length && (texts.get(kind)?.size ?? 0) > 1,
  )?.[0];
}

const isLabel = ({ name }: Element, text: string) =>
  LABELS.has(name) &&
  text.length <= MAX_LABEL_LENGTH &&
  /\p{L}{2}/u.test(text) &&
  text.split(' ').length <= MAX_LABEL_WORDS &&
  !DATE.test(text);
