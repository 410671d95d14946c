import { z } from 'zod';
import { defineFormat } from './format.ts';

/** The text of the whole page, with what was kept and what was left out, and why. */
export const contentBlocks = defineFormat({
  field: 'contentBlocks',
  request: z.strictObject({ type: z.literal('contentBlocks') }),
  value: z
    .array(
      z.object({
        kind: z.enum(['heading', 'text', 'item', 'row', 'code']),
        text: z.string().describe('lines of what was left out together are joined by line breaks'),
        isKept: z.boolean().describe('whether markdown, html and the other formats have it'),
        element: z
          .string()
          .optional()
          .describe('the element that was left out, such as `nav#menu.wide`; absent for what was kept'),
        because: z.array(z.string()).optional().describe('why it was left out, in sentences'),
      }),
    )
    .describe(
      'the visible text of the whole page in its order: what `onlyMainContent`, `includeTags` and `excludeTags` kept, and what they left out, with the reason; text beyond a million characters is absent',
    ),
  run: (content) => content.judgedBlocks,
});
