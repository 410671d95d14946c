import type { Guide } from '../crawl/guide.ts';
import { folderOf } from '../crawl/path.ts';
import type { DenialReason } from '../crawl/scope.ts';
import type { CrawlStart } from '../db/progress.ts';

/** What the start page of a crawl tells of it. */
export interface StartPage {
  start: CrawlStart;
  /** The crawl's guide from now on. */
  guide: Guide;
  /**
   * Why the start page is no page of the crawl itself: neither its own URL is, nor the one that it leads to. That it
   * leads out of the path that was asked for is no reason.
   */
  denial: DenialReason | undefined;
}

/**
 * Finds out where a crawl is.
 * @param asked the URL of the start page
 * @param url the URL that answered
 * @param hands.guideAt the crawl's guide, were its start page answered from a URL
 */
export async function readStart(
  asked: string,
  url: string,
  { guideAt, signal }: { guideAt: (url: string) => Guide; signal: AbortSignal },
): Promise<StartPage> {
  const denialOfAsked = guideAt(asked).whyNot(asked);
  const guide = guideAt(url);
  const denial = guide.whyNot(url);
  // The pace of the host that was asked is known since before its first page.
  const hasMoved = new URL(url).origin !== new URL(asked).origin;
  const paceMs = hasMoved ? await guide.paceMs(signal) : undefined;
  const strayed = denial === 'startPath' && { strayed: { url, folder: folderOf(new URL(asked)) } };
  return { start: { base: url, paceMs, ...strayed }, guide, denial: denial && denialOfAsked };
}
