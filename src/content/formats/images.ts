import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The images of the content that the filters keep; of a whole page also its icons and previews. */
export const images = defineFormat({
  field: 'images',
  request: z.strictObject({ type: z.literal('images') }),
  value: z
    .array(z.string())
    .describe(
      'absolute URLs of the images of the kept content, and with onlyMainContent=false and without includeTags and excludeTags also of icons and previews of the page; unique, in document order',
    ),
  source: 'images',
  run: (content) => content.images,
});
