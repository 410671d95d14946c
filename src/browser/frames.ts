import { Disconnected } from './cdp.ts';
import type { Place } from './isolated-world.ts';
import type { Tab } from './tab.ts';

/** A frame of a page, the page itself being the first. */
export interface Frame extends Place {
  url: string;
  /** Frames that it is in. */
  level: number;
  /** Nothing that its session reaches is above it. */
  isRoot: boolean;
}

/** All frames of a page, each in the session that reaches it: those of other sites have sessions of their own. */
export async function framesOf(tab: Tab): Promise<Frame[]> {
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
  const frames: Frame[] = [];
  for (const { session, tree } of trees) {
    const found = tree ? [{ tree, level: session === tab.session ? 0 : 1 }] : [];
    for (const { tree: at, level } of found) {
      const { frame, childFrames = [] } = at;
      frames.push({ session, frameId: frame.id, url: frame.url, level, isRoot: at === tree });
      found.push(...childFrames.map((child) => ({ tree: child, level: level + 1 })));
    }
  }
  return frames;
}
