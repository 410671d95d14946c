import type { FetchedPage } from '../engines/index.ts';
import { ServiceError } from '../errors.ts';
import type { PageMedia } from '../html/media/page-media.ts';
import type { MediaExtractor } from '../media/extractor.ts';
import { type MediaKind, requestedMediaKinds } from '../media-kind.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';

/** The fields of the formats `audio` and `video`, as references to stored files. */
export interface MediaFields {
  fields: Partial<Record<MediaKind, string>>;
  /** Messages to the user about what was left out. */
  warnings: string[];
}

/** The page whose media are extracted, and the options for extracting them. */
interface MediaInput {
  request: ScrapeRequest;
  fetched: FetchedPage;
  /** Whether the page belongs to a crawl. */
  isCrawled?: boolean;
  urgent: boolean;
  signal: AbortSignal;
}

/**
 * Extracts the requested audio and video files. A page without them is an error, except for a page of a
 * crawl, which gets a warning instead.
 * @param media where the page's media are; absent if none were requested
 * @throws ServiceError as {@link MediaExtractor}
 */
export async function extractMedia(
  extractor: MediaExtractor,
  { request, fetched: { snapshot }, isCrawled, signal, urgent }: MediaInput,
  media: PageMedia | undefined,
): Promise<MediaFields> {
  if (!media) return { fields: {}, warnings: [] };
  const kinds = requestedMediaKinds(request.formats);
  const leftOut = (why: string): MediaFields => ({
    fields: {},
    warnings: [`${kinds.join(' and ')} ${kinds.length > 1 ? 'were' : 'was'} left out: ${why}`],
  });
  if (request.lockdown) return leftOut('lockdown forbids fetching files, and the cache does not keep them.');
  if (snapshot.statusCode >= 400) {
    return leftOut(`the target responded with HTTP ${snapshot.statusCode}, so this is not the page.`);
  }
  try {
    const fields = await extractor.make({ kinds, page: snapshot, media, request, signal, urgent });
    return { fields, warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!isCrawled || !(error instanceof ServiceError)) throw error;
    return leftOut(error.message);
  }
}
