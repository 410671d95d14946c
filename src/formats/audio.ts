import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The audio of the media that the page plays, as a file. Made in `scraping/extract-media.ts`. */
export const audio = defineFormat({
  field: 'audio',
  request: z.strictObject({ type: z.literal('audio') }),
  value: z
    .string()
    .describe(
      'address of the sound as a file, as it is encoded; readable without a key for an hour at least',
    ),
});
