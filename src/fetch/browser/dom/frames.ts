import { Disconnected } from '../chromium/cdp.ts';
import type { Tab } from '../tab.ts';
import type { FrameTarget } from './isolated-world.ts';

/** A frame of a page; the main frame is one of them. */
export interface PageFrame extends FrameTarget {
  url: string;
  /** How many frames it is nested in; 0 for the main frame. */
  level: number;
  /** Whether it is the topmost frame that its session reaches. */
  isSessionRoot: boolean;
}

/**
 * Lists all frames of a page, the main frame first, each with the session that reaches it. Cross-site frames
 * have their own sessions.
 */
export async function listFrames(tab: Tab): Promise<PageFrame[]> {
  const trees = await Promise.all(
    tab.sessions().map(async (session) => {
      const tree = await session.send('Page.getFrameTree').catch((error) => {
        // The frame was removed meanwhile.
        if (error instanceof Disconnected && session !== tab.session) return undefined;
        throw error;
      });
      return { session, tree: tree?.frameTree };
    }),
  );
  const frames: PageFrame[] = [];
  for (const { session, tree } of trees) {
    const found = tree ? [{ tree, level: session === tab.session ? 0 : 1 }] : [];
    for (const { tree: current, level } of found) {
      const { frame, childFrames = [] } = current;
      frames.push({ session, frameId: frame.id, url: frame.url, level, isSessionRoot: current === tree });
      found.push(...childFrames.map((child) => ({ tree: child, level: level + 1 })));
    }
  }
  return frames;
}
