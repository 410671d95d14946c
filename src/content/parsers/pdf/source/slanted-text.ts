import type { ParsedPage, TextItem } from '@llamaindex/liteparse';

/** Largest angle of slanted letters, in degrees. */
const MAX_SLANT = 30;
/** How far two angles of one slant may be from each other, in degrees. */
const TOLERANCE = 0.1;
/** Maximum difference between the heights of words on one level, as a share of the height of their run. */
const MAX_SHIFT = 0.1;
/** Minimum distance of the first and the last of such words, as a multiple of that height. */
const MIN_WIDTH = 3;

/** What makes the name of a font that of an italic one. */
const ITALIC_SUFFIX = ' Italic';

/**
 * Sets the text of pages level whose letters are slanted by the matrix of the text, as programs do that have no
 * italic font. PDFium takes the slant for a rotation, but all words of such a run are on one level.
 */
export function levelSlantedText(pages: readonly ParsedPage[]): void {
  const slants: number[] = [];
  const isKnown = (angle: number) => slants.some((slant) => Math.abs(slant - angle) < TOLERANCE);
  for (const { textItems } of pages)
    for (const item of textItems) {
      const angle = slantOf(item);
      if (angle !== undefined && !isKnown(angle) && isLevel(item)) slants.push(angle);
    }
  if (slants.length === 0) return;
  for (const { textItems } of pages)
    for (const item of textItems) {
      const angle = slantOf(item);
      if (angle === undefined || !isKnown(angle)) continue;
      item.rotation = 0;
      item.fontName = `${item.fontName ?? ''}${ITALIC_SUFFIX}`;
      // The boxes of slanted letters reach over the spaces between words, which PDFium then leaves out.
      if (item.words?.length) item.text = item.words.map(({ text }) => text).join(' ');
    }
}

/** The angle of a run that can be a slant, in degrees. */
function slantOf({ rotation }: TextItem): number | undefined {
  if (!rotation) return undefined;
  const angle = ((((rotation + 180) % 360) + 360) % 360) - 180;
  return angle !== 0 && Math.abs(angle) < MAX_SLANT ? angle : undefined;
}

/** Whether the words of a run are on one level, although its letters are not upright. */
function isLevel({ words = [], height }: TextItem): boolean {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || last.x - first.x < MIN_WIDTH * height) return false;
  return words.every(({ y, height: own }) => Math.abs(y + own - first.y - first.height) < MAX_SHIFT * height);
}
