import type { Element } from 'domhandler';
import { nextElementSibling, prevElementSibling, textContent } from 'domutils';
import { hasAttributes, isTag, isText } from '../../nodes.ts';
import type { Measures } from './element-measures.ts';

/**
 * An element and a text beside it that says the same, one for those who see the page and one for screen
 * readers. An element is `seen` if it is skipped by screen readers, and `replaced` if the text beside it says
 * the same at least as well; that text is its `replacement`.
 */
export type SpokenText = 'seen' | 'replaced' | 'replacement';

/** Classes of elements that only screen readers read, as design systems and shops name them. */
const SPOKEN_CLASS =
  /(?:^|[\s_-])(?:sr-?only|visually-?hidden|hidden-?visually|screen-?readers?(?:-text|-only)?|a-offscreen|assistive-text|element-invisible|a11y-(?:text|hidden|only))/i;
/** Longer texts are not compared. Characters that are not blank. */
const MAX_LENGTH = 5_000;
/** Elements in which equal texts are separate values. */
const CELLS = new Set(['td', 'th', 'dt', 'dd']);

/**
 * Finds the elements that screen readers skip (`aria-hidden`) because a text beside them says the same, and
 * these texts.
 */
export function findSpokenTexts(elements: readonly Element[], measures: Measures): Map<Element, SpokenText> {
  const found = new Map<Element, SpokenText>();
  for (const element of elements) {
    if (!isSkipped(element) || CELLS.has(element.name)) continue;
    const before = prevElementSibling(element);
    // Further elements of a run were found with its first one.
    if (before && isSkipped(before) && isJoined(before)) continue;
    findBesideRun(runFrom(element), measures, found);
  }
  return found;
}

/** Whether screen readers skip an element. */
const isSkipped = (element: Element) => hasAttributes(element) && element.attribs['aria-hidden'] === 'true';

/** Whether no text stands between an element and the next one. */
function isJoined({ next }: Element): boolean {
  for (let at = next; at && !isTag(at); at = at.next) if (isText(at) && at.data.trim() !== '') return false;
  return true;
}

/** An element that screen readers skip, and those right after it. */
function runFrom(first: Element): Element[] {
  const run = [first];
  for (let last = first; isJoined(last); ) {
    const next = nextElementSibling(last);
    if (!next || !isSkipped(next)) break;
    run.push(next);
    last = next;
  }
  return run;
}

/** Finds what the elements right before and after a run of skipped elements are to it. */
function findBesideRun(run: Element[], measures: Measures, found: Map<Element, SpokenText>): void {
  const [first, last] = [run[0]!, run.at(-1)!];
  const [before, after] = [prevElementSibling(first), nextElementSibling(last)];
  const beside = [
    { text: before, isNext: before !== null && isJoined(before), nearest: first },
    { text: after, isNext: isJoined(last), nearest: last },
  ];
  for (const { text, isNext, nearest } of beside) {
    if (!text || (!isNext && !isSpoken(text))) continue;
    const replaced = [run, [nearest]].find((seen) => replaces(text, seen, measures));
    if (replaced) {
      found.set(text, 'replacement');
      for (const element of replaced) found.set(element, 'replaced');
      return;
    }
    if (isSpoken(text)) for (const element of run) found.set(element, 'seen');
  }
}

const isSpoken = ({ attribs }: Element) => SPOKEN_CLASS.test(attribs.class ?? '');

const isClosed = ({ attribs }: Element) =>
  attribs.hidden !== undefined || /display:\s*none/i.test(attribs.style ?? '');

/**
 * Whether a text for screen readers says the same as the elements beside it, or what their symbols stand for,
 * such as stars. It is the better one where the elements have only parts of a text, as those of a price
 * without its point.
 */
function replaces(spoken: Element, seen: Element[], measures: Measures): boolean {
  // A picture of a formula stands beside its MathML, which Wikipedia hides by a style.
  if (isFormula(spoken)) return true;
  if (isClosed(spoken)) return false;
  const lengthOf = (element: Element) => measures.get(element)?.length ?? 0;
  const spokenLength = lengthOf(spoken);
  const seenLength = seen.reduce((sum, element) => sum + lengthOf(element), 0);
  if (seenLength === 0 || Math.max(seenLength, spokenLength) > MAX_LENGTH) return false;
  if (!isSpoken(spoken) && spokenLength !== seenLength) return false;
  const [said, shown] = [lettersOf([spoken]), lettersOf(seen)];
  if (shown === '') return isSpoken(spoken) && /\d/.test(said);
  return (
    said === shown ||
    (isSpoken(spoken) && said.includes(shown) && !writtenIn([spoken]).includes(writtenIn(seen)))
  );
}

/** Whether an element is a formula in MathML, or has nothing else in it. */
function isFormula({ name, children }: Element): boolean {
  const [only, ...others] = children.filter(isTag);
  return name === 'math' || (only !== undefined && others.length === 0 && isFormula(only));
}

const writtenIn = (elements: Element[]) => textContent(elements).replace(/\s+/g, '').toLowerCase();
const lettersOf = (elements: Element[]) => writtenIn(elements).replace(/[^\p{L}\p{N}]+/gu, '');
