import { type Element, isTag } from 'domhandler';
import { isCaption } from './captions.ts';
import { add, type Measure } from './measure.ts';
import { isListOfLinks, isPart } from './parts.ts';
import { sectionsBeside } from './sections.ts';
import { isMain, type Survey } from './survey.ts';
import { dropBesideTitle, introduces } from './titles.ts';

/** A page without the parts that stand beside its content. */
export interface Pruned {
  dropped: Set<Element>;
  /** What is left of the elements that are kept. */
  left: Map<Element, Measure>;
  /** Length of the dropped lists of links. */
  linkLists: number;
}

/** Drops the parts of a page that its tags, names and headings tell from the content. */
export function prune(survey: Survey): Pruned {
  const { body, measures } = survey;
  const beside = sectionsBeside(survey);
  const dropped = new Set<Element>();
  const left = new Map<Element, Measure>();
  let linkLists = 0;
  const visit = (element: Element, isInMain: boolean): Measure | undefined => {
    const measured = measures.get(element);
    if (!measured) return undefined;
    // What is said beside the text does not tell where the text is.
    let isWeighed = true;
    if (element !== body) {
      if (dropped.has(element)) return undefined;
      const isPartHere = isPart(element, measured, isInMain, survey);
      const isLinks = !isPartHere && isListOfLinks(element, measured, survey);
      if (isLinks) linkLists += measured.length;
      if (isPartHere && !beside.has(element) && introduces(element, survey)) {
        dropBesideTitle(element, survey, dropped);
        isWeighed = false;
      } else if (isPartHere || isLinks || beside.has(element)) {
        dropped.add(element);
        return undefined;
      }
      if (isCaption(element, measured, survey)) isWeighed = false;
    }
    const rest: Measure = { ...measured };
    left.set(element, rest);
    const isInside = isInMain || isContent(element);
    for (const child of element.children) {
      const before = isTag(child) ? measures.get(child) : undefined;
      if (!isTag(child) || !before) continue;
      const after = visit(child, isInside);
      add(rest, before, -1);
      if (after) add(rest, after, 1);
    }
    return isWeighed ? rest : undefined;
  };
  visit(body, false);
  return { dropped, left, linkLists };
}

/** Says itself that it is content. */
export const isContent = (element: Element) => isMain(element) || element.name === 'article';
