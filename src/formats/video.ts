import { z } from 'zod';
import { mediaFormat } from './audio.ts';
import { defineFormat } from './format.ts';

/** The video that the page plays, as a file. */
export const video = defineFormat({
  field: 'video',
  request: z.strictObject({ type: z.literal('video') }),
  value: z
    .string()
    .describe(
      'address of the video as a file, as it is encoded; readable without a key for an hour at least',
    ),
  ...mediaFormat,
});
