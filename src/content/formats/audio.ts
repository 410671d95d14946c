import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { PageMedia } from '../html/media/page-media.ts';
import type { MediaKind } from '../media-kind.ts';
import { defineFormat, type Format } from './format.ts';

/** Everything that the formats `audio` and `video` have in common. */
export const mediaFormat = {
  credits: 4,
  keepsData: true,
  // URLs of media expire, and the snapshot of a media file has no text, so such copies are not shared.
  cache: 'bypass',
  source: 'media',
  conflicts: {
    minAge:
      'minAge returns a cached copy, which has no files for the formats audio and video: leave one of them out',
  },
  prepare: (content) => content.media,
  /**
   * Extracts the requested audio and video files. A page without them is an error, except for a page of a
   * crawl, which gets a warning instead.
   */
  async finish(requests, { snapshot, lockdown, isCrawled, signal, services }) {
    const kinds = requests.map(({ request }) => request.type);
    const leftOut = (why: string) => ({
      fields: {},
      made: [],
      warnings: [`${kinds.join(' and ')} ${kinds.length > 1 ? 'were' : 'was'} left out: ${why}`],
    });
    if (lockdown) return leftOut('lockdown forbids fetching files, and the cache does not keep them.');
    if (snapshot.statusCode >= 400) {
      return leftOut(`the target responded with HTTP ${snapshot.statusCode}, so this is not the page.`);
    }
    try {
      // The value was returned by `prepare` above.
      const fields = await services.extractMedia(kinds, requests[0]!.prepared as PageMedia);
      return { fields, files: Object.values(fields), made: Object.keys(fields), warnings: [] };
    } catch (error) {
      signal.throwIfAborted();
      if (!isCrawled || !(error instanceof ServiceError)) throw error;
      return leftOut(error.message);
    }
  },
} satisfies Partial<Format<MediaKind, z.ZodObject<{ type: z.ZodLiteral<MediaKind> }>, z.ZodString>>;

/** The audio of the media that the page plays, as a file. */
export const audio = defineFormat({
  field: 'audio',
  request: z.strictObject({ type: z.literal('audio') }),
  value: z
    .string()
    .describe(
      'URL of the audio file, in its original encoding; it needs no key and is valid for at least one hour',
    ),
  ...mediaFormat,
});
