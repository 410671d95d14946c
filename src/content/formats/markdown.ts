import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The content as GitHub-flavoured markdown. */
export const markdown = defineFormat({
  field: 'markdown',
  request: z.strictObject({ type: z.literal('markdown') }),
  value: z.string().describe('the content as GitHub-flavoured markdown'),
  run: (content) => content.markdown,
});
