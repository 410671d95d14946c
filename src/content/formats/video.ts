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
      'URL of the video file, in its original encoding; it needs no key and is valid for at least one hour',
    ),
  ...mediaFormat,
});
