import { z } from 'zod';
import { defineFormat } from './format.ts';

/**
 * The page as it was received or rendered. A document is not HTML, so it is the HTML that it was converted
 * to.
 */
export const rawHtml = defineFormat({
  field: 'rawHtml',
  request: z.strictObject({ type: z.literal('rawHtml') }),
  value: z
    .string()
    .describe('the page as it was received or rendered; for a document, the HTML that it was converted to'),
  run: (content) => content.snapshot.text,
});
