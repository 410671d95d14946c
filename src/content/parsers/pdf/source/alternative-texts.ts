import { contentIds, outermost } from '../document/tag-tree.ts';
import type { Figure, Tag } from '../types.ts';

/**
 * Gives figures the alternative texts of their tags. Figures do not know their marked content, so this needs
 * as many tags with content as there are figures: both are then in the order in which the page draws them.
 * @param figures in the order in which the page draws them
 * @returns the figures as given if their number and that of the tags differ, as for pages with decorative
 * images
 */
export function withAlternativeTexts(figures: readonly Figure[], tags: readonly Tag[]): Figure[] {
  if (figures.length === 0) return [];
  const drawn = outermost(tags, 'Figure')
    .flatMap((tag) => {
      const [first] = contentIds(tag);
      return first === undefined ? [] : [{ first, alt: tag.alt }];
    })
    .sort((a, b) => a.first - b.first);
  if (drawn.length !== figures.length) return [...figures];
  return figures.map((figure, place) => {
    const alt = drawn[place]?.alt;
    return alt ? { ...figure, alt } : figure;
  });
}
