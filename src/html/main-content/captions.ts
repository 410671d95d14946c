import { type Element, isTag } from 'domhandler';
import { ARTICLES } from './beliefs.ts';
import type { Measured } from './measure.ts';
import type { Survey } from './survey.ts';

/** So many elements above a caption is what it has in common with its picture. */
const MOST_LEVELS = 2;

/**
 * Whether an element of a text is a caption, by its tag or its name, that stands with the picture that it is about, or
 * holds it: one stays with the other.
 */
export function isCaption(element: Element, measured: Measured, survey: Survey): boolean {
  const isNamed = survey.hints.get(element)?.some(({ part }) => part === 'caption') ?? false;
  return (
    ARTICLES.includes(survey.type) &&
    (element.name === 'figcaption' || isNamed) &&
    isOfPicture(element, measured, survey)
  );
}

/** Anything that a `figure` shows is a picture: tables and code too. */
function isOfPicture(caption: Element, measured: Measured, { measures }: Survey): boolean {
  if (measured.pictures > 0) return true;
  const figure = ancestor(caption, 'figure');
  const shown = figure && measures.get(figure);
  if (shown) return shown.pictures > 0 || shown.length > measured.length;
  if ((measures.get(elementBefore(caption) ?? caption)?.pictures ?? 0) > 0) return true;
  let { parent } = caption;
  for (let level = 0; parent && isTag(parent) && level < MOST_LEVELS; level++, { parent } = parent) {
    const around = measures.get(parent);
    if (around && around.pictures > 0) return around.prose <= measured.prose;
  }
  return false;
}

/** Whether an element is a part of a caption: who made the picture is said there. */
export const isInCaption = (element: Element): boolean => ancestor(element, 'figcaption') !== undefined;

function ancestor({ parent }: Element, name: string): Element | undefined {
  for (let at = parent; at && isTag(at); at = at.parent) if (at.name === name) return at;
  return undefined;
}

function elementBefore({ prev }: Element): Element | undefined {
  for (let at = prev; at; at = at.prev) if (isTag(at)) return at;
  return undefined;
}
