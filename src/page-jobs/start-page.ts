import type { Guide } from '../crawl/guide.ts';
import { folderOf } from '../crawl/path.ts';
import type { DenialReason } from '../crawl/scope.ts';
import type { CrawlStart } from '../db/progress.ts';

/** The facts about a crawl that its start page reveals. */
export interface StartPage {
  start: CrawlStart;
  /** The link filter of the crawl from now on. */
  guide: Guide;
  /**
   * Why the start page is not a page of the crawl itself. Set only if its requested URL and its URL after
   * redirects are both excluded, so a redirect out of the requested path is no reason.
   */
  denial: DenialReason | undefined;
}

/**
 * Determines where a crawl is.
 * @param asked the requested URL of the start page
 * @param url the URL of the start page after redirects
 * @param options.guideAt returns the link filter that the crawl has if its start page leads to a URL
 */
export async function readStartPage(
  asked: string,
  url: string,
  { guideAt, signal }: { guideAt: (url: string) => Guide; signal: AbortSignal },
): Promise<StartPage> {
  const denialOfAsked = guideAt(asked).whyNot(asked);
  const guide = guideAt(url);
  const denial = guide.whyNot(url);
  // The crawl delay of the requested host was stored before the first page, see `prepareCrawl`.
  const hasMoved = new URL(url).origin !== new URL(asked).origin;
  const paceMs = hasMoved ? await guide.paceMs(signal) : undefined;
  const strayed = denial === 'startPath' && { strayed: { url, folder: folderOf(new URL(asked)) } };
  return { start: { base: url, paceMs, ...strayed }, guide, denial: denial && denialOfAsked };
}
