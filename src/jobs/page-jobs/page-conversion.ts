import type { FetchContext } from '../../fetch/engines/page-request.ts';
import { maxOvertimeMs } from '../scraping/conversion-time.ts';
import type { Deadline } from '../scraping/deadline.ts';

/** The longest that a document may wait for a parser before its page is put back, in milliseconds. */
const MAX_WAIT_MS = 20 * 60_000;

type PageConversion = Required<Pick<FetchContext, 'conversionOwner' | 'onProgress' | 'duringConversion'>>;

/**
 * How the document of a page of a batch or crawl is converted. Nobody waits for a response, so a document is
 * always finished if that takes no more than {@link maxOvertimeMs} after the timeout of its page, and the
 * timeout only begins when a parser has begun. The batches and crawls of a team take turns with its single
 * scrapes.
 */
export function pageConversion(teamId: string, deadline: Deadline): PageConversion {
  const begun = Promise.withResolvers<void>();
  return {
    conversionOwner: `jobs of ${teamId}`,
    onProgress: () => begun.resolve(),
    async duringConversion(convert, type) {
      const conversion = deadline.duringConversion(convert, () => maxOvertimeMs(type));
      await deadline.duringWait(() => Promise.race([begun.promise, conversion]), MAX_WAIT_MS);
      return conversion;
    },
  };
}
