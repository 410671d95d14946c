import { z } from 'zod';

const pdf = z.strictObject({
  type: z.literal('pdf'),
  mode: z.enum(['fast', 'auto', 'ocr']).default('auto'),
  maxPages: z.int().min(1).max(10_000).optional(),
  pages: z.boolean().optional(),
  pageMarkdown: z.boolean().optional().describe('deprecated name of `pages`'),
  blocks: z.boolean().default(false),
  pageMarkers: z.boolean().default(false),
});
const image = z.strictObject({ type: z.literal('image') });

/** The file parsers that may be used. With an empty list, a PDF is returned as base64. */
export const parsers = z
  .array(z.union([z.enum(['pdf', 'image']), pdf, image]))
  .default(['pdf'])
  .describe('file parsers; [] returns a PDF as base64');
