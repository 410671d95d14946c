import { serializeDom, frameElementAt, inspectFrame } from './serialize-dom.ts';
import { listFrames } from './frames.ts';
import { findFrameIdIsolated, isBetweenDocuments, type FrameTarget, evaluateIsolated } from './isolated-world.ts';
import { waitUntilSettled } from './wait-until-settled.ts';
import type { Tab } from './tab.ts';

/** Frames of one page that are read, all levels together. */
const MAX_FRAMES = 30;
/** Frames inside frames. */
const MAX_FRAME_DEPTH = 5;
/** A frame smaller than this in width or height has nothing for readers. */
const MIN_FRAME_PX = 10;
/** A page that goes elsewhere each time it is read is given up. */
const MAX_TRIES = 3;

/** What may still be read. */
interface ReadBudget {
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
      const budget = { frames: MAX_FRAMES, characters: maxCharacters + 1 };
      return await readFrame(tab, await indexFrames(tab), budget, 0);
    } catch (error) {
      if (tries === MAX_TRIES || !isBetweenDocuments(error)) throw error;
      await waitUntilSettled(tab);
    }
  }
}

/** How to reach each frame by its id: those of other sites may have processes, and sessions, of their own. */
async function indexFrames(tab: Tab): Promise<Map<string, FrameTarget>> {
  return new Map((await listFrames(tab)).map((frame) => [frame.frameId, frame]));
}

async function readFrame(
  target: FrameTarget,
  framesById: Map<string, FrameTarget>,
  budget: ReadBudget,
  level: number,
): Promise<string> {
  const options = { isTop: level === 0, minFramePx: MIN_FRAME_PX, maxCharacters: Math.max(0, budget.characters) };
  const { html, frames } = await evaluateIsolated(target, inspectFrame, options);
  if (html !== undefined) return html;
  const contents: Record<number, string> = {};
  for (let index = 0; index < frames && level < MAX_FRAME_DEPTH && budget.frames > 0; index++) {
    const child = framesById.get((await findFrameIdIsolated(target, frameElementAt, index)) ?? '');
    if (!child) continue;
    budget.frames--;
    try {
      const content = await readFrame(child, framesById, budget, level + 1);
      contents[index] = content;
      budget.characters -= content.length;
    } catch (error) {
      // A frame that goes elsewhere just now is left out.
      if (!isBetweenDocuments(error)) throw error;
    }
  }
  return evaluateIsolated(target, serializeDom, { ...options, contents });
}

/** Whether an answer of this `Content-Type` is a page. */
export const isHtml = (contentType: string) => !contentType || /\bx?html\b/i.test(contentType);
