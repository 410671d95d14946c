import { least } from '../boxes.ts';
import type { Block, PdfTextBlock } from '../types.ts';
import { sectionNumber } from './numbered-titles.ts';

const MAX_LEVEL = 6;
/** Number of headings with the number of a part of a section from which the numbers tell the levels. */
const MIN_PARTS = 2;

type Heading = PdfTextBlock & { level: number };

/**
 * Gives headings with the numbers of sections the levels that these tell: 2.1 is a part of 2, whatever their type
 * is. The others keep their levels.
 * @param blocks those of a document, whose headings have levels by their type
 */
export function withNumberedLevels(blocks: readonly Block[]): Block[] {
  const depths = depthsOf(blocks);
  if ([...depths.values()].filter((depth) => depth > 1).length < MIN_PARTS) return [...blocks];
  const highest = least(depths.values());
  const top = [...depths].flatMap(([{ level }, depth]) => (depth === highest ? [level] : []));
  const base = mostFrequent(top);
  return blocks.map((block) => {
    const depth = depths.get(block as Heading);
    return depth === undefined
      ? block
      : { ...(block as Heading), level: Math.min(MAX_LEVEL, base + depth - highest) };
  });
}

/** The headings with the numbers of sections, and of how many parts their numbers are. */
function depthsOf(blocks: readonly Block[]): Map<Heading, number> {
  const depths = new Map<Heading, number>();
  let section: number | undefined;
  for (const block of blocks) {
    if (block.kind !== 'heading' || block.level === undefined) continue;
    const number = sectionNumber(block);
    const [first] = number ?? [];
    if (!number || first === undefined) continue;
    // A step of instructions has a number, too, but it is not that of the next section.
    if (number.length === 1 && section !== undefined && first !== section + 1) continue;
    section = first;
    depths.set(block as Heading, number.length);
  }
  return depths;
}

/** The most frequent one of some levels, and of several the highest in the document. */
function mostFrequent(levels: readonly number[]): number {
  const counts = Array.from(
    { length: MAX_LEVEL + 1 },
    (_, level) => levels.filter((each) => each === level).length,
  );
  return counts.indexOf(Math.max(...counts));
}
