import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The content as cleaned HTML. */
export const html = defineFormat({
  field: 'html',
  request: z.strictObject({ type: z.literal('html') }),
  value: z.string().describe('the content as HTML, after all filters'),
  run: (content) => content.html,
});
