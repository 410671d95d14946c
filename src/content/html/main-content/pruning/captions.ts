import type { Element } from 'domhandler';
import { prevElementSibling } from 'domutils';
import { closest, isParentElement } from '../../nodes.ts';
import type { ElementMeasure } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { TEXT_PAGE_TYPES } from './thresholds.ts';

/** Maximum number of levels above a caption at which its common ancestor with the picture is searched. */
const MAX_LEVELS_TO_PICTURE = 2;

/**
 * Whether an element is a caption, by its tag or class names, and contains its picture or is next to it. Such
 * a caption is kept with the picture. Applies to articles and documentation only.
 */
export function isCaption(element: Element, measured: ElementMeasure, index: PageIndex): boolean {
  const isNamed = index.nameHints.get(element)?.some(({ kind }) => kind === 'caption') ?? false;
  return (
    TEXT_PAGE_TYPES.includes(index.type) &&
    (element.name === 'figcaption' || isNamed) &&
    hasPicture(element, measured, index)
  );
}

/** Any content of a `figure` counts as a picture, including tables and code. */
function hasPicture(caption: Element, measured: ElementMeasure, { measures }: PageIndex): boolean {
  if (measured.pictures > 0) return true;
  const figure = ancestor(caption, 'figure');
  const shown = figure && measures.get(figure);
  if (shown) return shown.pictures > 0 || shown.length > measured.length;
  if ((measures.get(prevElementSibling(caption) ?? caption)?.pictures ?? 0) > 0) return true;
  let { parent } = caption;
  for (
    let level = 0;
    isParentElement(parent) && level < MAX_LEVELS_TO_PICTURE;
    level++, { parent } = parent
  ) {
    const around = measures.get(parent);
    if (around && around.pictures > 0) return around.prose <= measured.prose;
  }
  return false;
}

/** Whether an element is inside a `figcaption`, where a picture credit belongs to the caption. */
export const isInCaption = (element: Element): boolean => ancestor(element, 'figcaption') !== undefined;

const ancestor = ({ parent }: Element, name: string): Element | undefined =>
  closest(parent, (at) => at.name === name);
