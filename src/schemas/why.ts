import { z } from 'zod';
import { pageTrace } from './page-trace.ts';

/** Response of `GET /v2/scrape/{id}/why`. */
export const whyResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  jobId: z.uuid().describe('the batch or crawl of the page; the id itself for a scrape'),
  status: z.enum(['scraping', 'completed', 'failed']),
  url: z
    .string()
    .nullable()
    .describe('the requested URL; https://uploads.invalid/ and its name for an uploaded file'),
  summary: z.string().describe('how the page went, in one sentence'),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  ...pageTrace.shape,
});
