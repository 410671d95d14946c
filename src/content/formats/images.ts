import { z } from 'zod';
import { defineFormat } from './format.ts';

/** Every image of the page. */
export const images = defineFormat({
  field: 'images',
  request: z.strictObject({ type: z.literal('images') }),
  value: z.array(z.string()).describe('absolute URLs of the images of the page, unique, in document order'),
  source: 'images',
  run: (content) => content.images,
});
