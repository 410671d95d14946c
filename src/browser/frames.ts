import { Disconnected } from './cdp.ts';
import type { FrameTarget } from './isolated-world.ts';
import type { Tab } from './tab.ts';

/** A frame of a page, the page itself being the first. */
export interface PageFrame extends FrameTarget {
  url: string;
  /** Frames that it is in. */
  level: number;
  /** Nothing that its session reaches is above it. */
  isSessionRoot: boolean;
}

/** All frames of a page, each in the session that reaches it: those of other sites have sessions of their own. */
export async function listFrames(tab: Tab): Promise<PageFrame[]> {
  const trees = await Promise.all(
    tab.sessions().map(async (session) => {
      const tree = await session.send('Page.getFrameTree').catch((error) => {
        // A frame that went away meanwhile has none.
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
