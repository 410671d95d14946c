import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The video that the page plays, as a file. Made in `scraping/extract-media.ts`. */
export const video = defineFormat({
  field: 'video',
  request: z.strictObject({ type: z.literal('video') }),
  value: z
    .string()
    .describe(
      'address of the video as a file, as it is encoded; readable without a key for an hour at least',
    ),
});
