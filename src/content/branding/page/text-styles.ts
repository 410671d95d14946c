import type { PageElement } from '../../open-page/page-dom.ts';
import { pageFunction } from '../../open-page/page-function.ts';
import { type StyledText, StyledTexts } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/** Runs in the page: collects the text styles of the visible elements. @param limit most different styles */
export const collectTextStyles = pageFunction(StyledTexts, (limit: number, dom): StyledText[] => {
  /** Limits for one element and one text node, so that a huge text does not take long. */
  const MAX_NODES = 50;
  const MAX_CHARACTERS = 2_000;
  const charactersIn = (element: PageElement) => {
    let characters = 0;
    let nodes = 0;
    for (
      let node = dom.firstChild(element);
      node && nodes < MAX_NODES;
      node = dom.nextSibling(node), nodes++
    ) {
      const text = dom.isText(node) ? (dom.nodeValue(node) ?? '') : '';
      characters += text.slice(0, MAX_CHARACTERS).replace(/\s+/g, ' ').trim().length;
    }
    return characters;
  };

  const texts = new Map<string, StyledText>();
  for (const { element, style, area, role, region, backgroundIndex } of dom.keep<VisibleElement[]>(
    'visibleElements',
    () => [],
  )) {
    const characters = area ? charactersIn(element) : 0;
    if (!characters) continue;
    const textStyle = {
      role,
      region,
      backgroundIndex,
      family: style.fontFamily.slice(0, 500),
      size: style.fontSize,
      weight: style.fontWeight,
      lineHeight: style.lineHeight,
      color: style.color,
    };
    const key = JSON.stringify(textStyle);
    const known = texts.get(key);
    if (known) known.characters += characters;
    else if (texts.size < limit) texts.set(key, { ...textStyle, characters });
  }
  return [...texts.values()];
});
