import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The page as it was received or rendered. */
export const rawHtml = defineFormat({
  field: 'rawHtml',
  request: z.strictObject({ type: z.literal('rawHtml') }),
  value: z.string().describe('the page as it was received or rendered'),
  run: (content) => content.snapshot.text,
});
