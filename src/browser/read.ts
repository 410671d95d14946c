import { flatten, foundFrame, survey } from './flatten.ts';
import { framesOf } from './frames.ts';
import { frameIdApart, isBetweenDocuments, type Place, runApart } from './isolated-world.ts';
import { settle } from './settle.ts';
import type { Tab } from './tab.ts';

/** Frames of one page that are read, all levels together. */
const MOST_FRAMES = 30;
/** Frames inside frames. */
const MOST_LEVELS = 5;
/** A frame smaller than this in width or height has nothing for readers. */
const LEAST_FRAME_PX = 10;
/** A page that goes elsewhere each time it is read is given up. */
const MOST_TRIES = 3;

/** What may still be read. */
interface Budget {
  frames: number;
  characters: number;
}

/**
 * The page as it stands: open shadow trees where they are seen, slots filled, and each visible frame as
 * `<div data-original-tag="iframe">` with its content, whatever origin it is of.
 * @param maxCharacters of more than that, one character more is given
 */
export async function readHtml(tab: Tab, maxCharacters: number): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const budget = { frames: MOST_FRAMES, characters: maxCharacters + 1 };
      return await readFrame(tab, await placesOf(tab), budget, 0);
    } catch (error) {
      if (tries === MOST_TRIES || !isBetweenDocuments(error)) throw error;
      await settle(tab);
    }
  }
}

/** How to reach each frame by its id: those of other sites may have processes, and sessions, of their own. */
async function placesOf(tab: Tab): Promise<Map<string, Place>> {
  return new Map((await framesOf(tab)).map((frame) => [frame.frameId, frame]));
}

async function readFrame(
  place: Place,
  places: Map<string, Place>,
  budget: Budget,
  level: number,
): Promise<string> {
  const asked = { isTop: level === 0, leastFramePx: LEAST_FRAME_PX, most: Math.max(0, budget.characters) };
  const { html, frames } = await runApart(place, survey, asked);
  if (html !== undefined) return html;
  const contents: Record<number, string> = {};
  for (let index = 0; index < frames && level < MOST_LEVELS && budget.frames > 0; index++) {
    const child = places.get((await frameIdApart(place, foundFrame, index)) ?? '');
    if (!child) continue;
    budget.frames--;
    try {
      const content = await readFrame(child, places, budget, level + 1);
      contents[index] = content;
      budget.characters -= content.length;
    } catch (error) {
      // A frame that goes elsewhere just now is left out.
      if (!isBetweenDocuments(error)) throw error;
    }
  }
  return runApart(place, flatten, { ...asked, contents });
}

/** Whether an answer of this `Content-Type` is a page. */
export const isHtml = (contentType: string) => !contentType || /\bx?html\b/i.test(contentType);
