import type { FetchedPage } from '../engines/index.ts';
import { ServiceError } from '../errors.ts';
import type { PageMedia } from '../html/page-media.ts';
import type { MediaExtractor } from '../media/extractor.ts';
import { type MediaKind, requestedMediaKinds } from '../media-kind.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';

/** The fields of the formats that are files of what the page plays, as blob references. */
export interface MediaFields {
  fields: Partial<Record<MediaKind, string>>;
  /** What was left out, in words for the user. */
  warnings: string[];
}

/** The page that the media are of. */
interface MediaOrder {
  request: ScrapeRequest;
  obtained: FetchedPage;
  /** A crawl found it: nobody asked for this very page. */
  isFound?: boolean;
  urgent: boolean;
  signal: AbortSignal;
}

/**
 * Makes what is asked for of audio and video. A page that is asked for by its address has to have it; one that a crawl
 * found need not, and says so.
 * @param media where the page says it is; absent where it was not asked
 * @throws ServiceError as {@link MediaExtractor}
 */
export async function makeMedia(
  maker: MediaExtractor,
  { request, obtained: { snapshot }, isFound, signal, urgent }: MediaOrder,
  media: PageMedia | undefined,
): Promise<MediaFields> {
  if (!media) return { fields: {}, warnings: [] };
  const kinds = requestedMediaKinds(request.formats);
  const leftOut = (why: string): MediaFields => ({
    fields: {},
    warnings: [`${kinds.join(' and ')} ${kinds.length > 1 ? 'were' : 'was'} left out: ${why}`],
  });
  if (request.lockdown) return leftOut('lockdown forbids to fetch files, and the cache keeps none.');
  if (snapshot.statusCode >= 400) {
    return leftOut(`the target answered ${snapshot.statusCode}, so this is not the page.`);
  }
  try {
    const fields = await maker.make({ kinds, page: snapshot, media, request, signal, urgent });
    return { fields, warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFound || !(error instanceof ServiceError)) throw error;
    return leftOut(error.message);
  }
}
