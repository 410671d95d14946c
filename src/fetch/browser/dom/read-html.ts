import type { Tab } from '../tab.ts';
import { waitUntilSettled } from '../wait-until-settled.ts';
import { listFrames } from './frames.ts';
import {
  evaluateIsolated,
  type FrameTarget,
  findFrameIdIsolated,
  isBetweenDocuments,
} from './isolated-world.ts';
import { frameElementAt, inspectFrame, serializeDom } from './serialize-dom.ts';

/** How many frames of one page are read, on all levels together. */
const MAX_FRAMES = 30;
/** How deep nested frames are read. */
const MAX_FRAME_DEPTH = 5;
/** Frames with a smaller width or height are skipped. */
const MIN_FRAME_PX = 10;
/** How often reading is tried on a page that keeps navigating. */
const MAX_TRIES = 3;

/** How much may still be read. */
interface ReadBudget {
  frames: number;
  characters: number;
}

/**
 * Reads the current HTML of the page, with open shadow trees inlined, slots filled, and each visible frame of
 * any origin as `<div data-original-tag="iframe">` with its content.
 * @param maxCharacters longer HTML is cut one character above this limit, so that callers can detect it
 */
export async function readHtml(tab: Tab, maxCharacters: number): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const budget = { frames: MAX_FRAMES, characters: maxCharacters + 1 };
      return await readFrame(tab, () => indexFrames(tab), budget, 0);
    } catch (error) {
      if (tries === MAX_TRIES || !isBetweenDocuments(error)) throw error;
      await waitUntilSettled(tab);
    }
  }
}

/** Frames by their ids, including cross-site frames with their own sessions. */
type FramesById = Map<string, FrameTarget>;

async function indexFrames(tab: Tab): Promise<FramesById> {
  return new Map((await listFrames(tab)).map((frame) => [frame.frameId, frame]));
}

/** @param findFrames is called if the frame has visible frames, because most pages have none */
async function readFrame(
  target: FrameTarget,
  findFrames: () => Promise<FramesById>,
  budget: ReadBudget,
  level: number,
): Promise<string> {
  const options = {
    isTop: level === 0,
    minFramePx: MIN_FRAME_PX,
    maxCharacters: Math.max(0, budget.characters),
  };
  const { html, frames } = await evaluateIsolated(target, inspectFrame, options);
  if (html !== undefined) return html;
  const contents: Record<number, string> = {};
  const framesById: FramesById = frames && level < MAX_FRAME_DEPTH ? await findFrames() : new Map();
  for (let index = 0; index < frames && level < MAX_FRAME_DEPTH && budget.frames > 0; index++) {
    const child = framesById.get((await findFrameIdIsolated(target, frameElementAt, index)) ?? '');
    if (!child) continue;
    budget.frames--;
    try {
      const content = await readFrame(child, async () => framesById, budget, level + 1);
      contents[index] = content;
      budget.characters -= content.length;
    } catch (error) {
      // A frame that is navigating is left out.
      if (!isBetweenDocuments(error)) throw error;
    }
  }
  return evaluateIsolated(target, serializeDom, { ...options, contents });
}

/** Whether a response with this `Content-Type` is an HTML page. */
export const isHtml = (contentType: string) => !contentType || /\bx?html\b/i.test(contentType);
