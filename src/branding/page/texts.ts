import type { Text } from '../survey.ts';
import type { Left } from './seen.ts';

/** Runs in the page: how the text of what `seeElements` has found is set. @param most different looks */
export function surveyTexts(most: number): Text[] {
  /** One text may be as long as all others. */
  const MOST_NODES = 50;
  const MOST_CHARACTERS = 2_000;
  const charactersIn = (element: Element) => {
    let characters = 0;
    let nodes = 0;
    for (let node = element.firstChild; node && nodes < MOST_NODES; node = node.nextSibling, nodes++) {
      const text = node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '') : '';
      characters += text.slice(0, MOST_CHARACTERS).replace(/\s+/g, ' ').trim().length;
    }
    return characters;
  };

  const texts = new Map<string, Text>();
  for (const { element, style, area, role, region, ground } of (globalThis as Left).winnowSeen ?? []) {
    const characters = area ? charactersIn(element) : 0;
    if (!characters) continue;
    const look = {
      ...{ role, region, ground, family: style.fontFamily.slice(0, 500), size: style.fontSize },
      ...{ weight: style.fontWeight, lineHeight: style.lineHeight, color: style.color },
    };
    const key = JSON.stringify(look);
    const known = texts.get(key);
    if (known) known.characters += characters;
    else if (texts.size < most) texts.set(key, { ...look, characters });
  }
  return [...texts.values()];
}
