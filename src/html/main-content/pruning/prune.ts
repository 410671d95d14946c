import { type Element, isTag } from 'domhandler';
import { ElementMap } from '../page-index/element-map.ts';
import { addMeasure, type Measure } from '../page-index/element-measures.ts';
import { isMainElement, type PageIndex } from '../page-index/page-index.ts';
import { PAGE_TYPES } from '../page-type/page-type.ts';
import type { PrunedPage, Stage } from '../stage.ts';
import { isBoilerplate, isLinkList } from './boilerplate.ts';
import { findBoilerplateSections } from './boilerplate-sections.ts';
import { isCaption } from './captions.ts';
import { dropBesideTitle, introduces } from './titles.ts';

/** Drops the boilerplate of a page that tags, roles, names and headings identify. */
export const pruningStage: Stage = {
  name: 'prune boilerplate',
  types: PAGE_TYPES,
  run(page) {
    page.pruned = prune(page.index);
  },
};

function prune(index: PageIndex): PrunedPage {
  const { document, body, measures } = index;
  const sections = findBoilerplateSections(index);
  const dropped = new Set<Element>();
  const remaining = new ElementMap<Measure>(document);
  let linkListLength = 0;
  const visit = (element: Element, isInMain: boolean): Measure | undefined => {
    const measured = measures.get(element);
    if (!measured) return undefined;
    // Titles and captions are kept, but must not influence the search for the content root.
    let isWeighed = true;
    if (element !== body) {
      if (dropped.has(element)) return undefined;
      const isPartHere = isBoilerplate(element, measured, isInMain, index);
      const isLinks = !isPartHere && isLinkList(element, measured, index);
      if (isLinks) linkListLength += measured.length;
      if (isPartHere && !sections.has(element) && introduces(element, index)) {
        dropBesideTitle(element, index, dropped);
        isWeighed = false;
      } else if (isPartHere || isLinks || sections.has(element)) {
        dropped.add(element);
        return undefined;
      }
      if (isCaption(element, measured, index)) isWeighed = false;
    }
    // Most elements keep all of their content, and then the measure of what remains is the one that they have.
    let rest: Measure = measured;
    remaining.set(element, rest);
    const isInside = isInMain || isContentElement(element);
    for (const child of element.children) {
      const before = isTag(child) ? measures.get(child) : undefined;
      if (!isTag(child) || !before) continue;
      const after = visit(child, isInside);
      if (after === before) continue;
      if (rest === measured) {
        rest = { ...measured };
        remaining.set(element, rest);
      }
      addMeasure(rest, before, -1);
      if (after) addMeasure(rest, after, 1);
    }
    return isWeighed ? rest : undefined;
  };
  visit(body, false);
  return { dropped, remaining, linkListLength };
}

/** Whether an element is marked as content. */
export const isContentElement = (element: Element) => isMainElement(element) || element.name === 'article';
