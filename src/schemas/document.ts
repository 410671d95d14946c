import { z } from 'zod';
import { documentFields } from '../content/formats/index.ts';

/** The metadata of a page. Besides these fields, it has every meta tag of the page under its own name. */
const metadata = z
  .object({
    scrapeId: z.uuid(),
    sourceFile: z.string().optional().describe('name of the uploaded file'),
    sourceURL: z
      .string()
      .describe('the requested URL; for an uploaded file, https://uploads.invalid/ and its name'),
    url: z.string().describe('the URL that responded, after redirects'),
    statusCode: z.int().describe('HTTP status of the response of the page'),
    error: z.string().optional().describe('description of the status if it is an error'),
    contentType: z.string().optional(),
    proxyUsed: z.enum(['basic', 'stealth']),
    cacheState: z.enum(['hit', 'miss']).optional().describe('absent if the cache was not used'),
    cachedAt: z.iso.datetime().optional(),
    creditsUsed: z.int(),
    timezone: z.string().optional(),
    numPages: z.int().optional().describe('number of pages of a document that were read'),
    totalPages: z.int().optional().describe('number of pages of a document'),
    contentShare: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'share of the text that readers see on the page that `onlyMainContent`, `includeTags` and `excludeTags` kept, from 0 to 1; absent if the page is not HTML',
      ),
    challenge: z
      .string()
      .optional()
      .describe(
        'present if the site sent a challenge instead of the requested page: its provider, such as `cloudflare`, or `captcha`; see `warning`',
      ),
    concurrencyLimited: z
      .boolean()
      .describe('whether the page waited for a slot of the team or for a limit of its job'),
    concurrencyQueueDurationMs: z.int().optional().describe('duration of that wait in ms'),
    title: z.string().optional(),
    description: z.string().optional(),
    language: z.string().optional(),
    keywords: z.union([z.string(), z.array(z.string())]).optional(),
    favicon: z.string().optional(),
    ogLocaleAlternate: z.array(z.string()).optional(),
  })
  .catchall(z.union([z.string(), z.array(z.string()), z.number(), z.boolean()]))
  .meta({ id: 'Metadata' });

/** The results of the actions, each list in the order of its actions. */
const actionResults = z
  .object({
    screenshots: z
      .array(z.string())
      .describe('URLs of the images, which work without a key for at least 24 hours'),
    scrapes: z.array(z.object({ url: z.string(), html: z.string() })),
    javascriptReturns: z.array(z.object({ type: z.string(), value: z.unknown() })),
    pdfs: z
      .array(z.string())
      .describe('URLs of the PDF files, which work without a key for at least 24 hours'),
  })
  .meta({ id: 'ActionResults' });

/** The blocks of a page of a PDF. */
const pageBlocks = z
  .object({
    pageNumber: z.int().min(1),
    width: z.number().describe('in points'),
    height: z.number().describe('in points'),
    status: z.enum(['ok', 'partial', 'failed']),
    items: z.array(
      z.object({
        id: z.string(),
        type: z
          .string()
          .describe('such as `title`, `section_header`, `text`, `table`, `figure`, `page_header`'),
        label: z.string().nullable(),
        bbox: z.array(z.number()).length(4).describe('left, top, right, bottom as fractions of the page'),
        content: z.string(),
        markdownSpan: z
          .array(z.int())
          .length(2)
          .nullable()
          .describe('where the block is in the markdown of its page: first character and end'),
        readingOrder: z.int().min(0),
        source: z.enum(['native_text', 'ocr']),
        confidence: z.object({
          layout: z.number().nullable().describe('always null: rules find the layout'),
          ocr: z
            .number()
            .nullable()
            .describe('how sure the text recognition is, from 0 to 1; null for text of the file'),
        }),
      }),
    ),
  })
  .meta({ id: 'PageBlocks' });

/** A scraped page: the fields of the requested formats, and metadata. */
export const document = z
  .object({
    ...documentFields,
    pages: z
      .array(z.object({ pageNumber: z.int().min(1), markdown: z.string() }))
      .optional()
      .describe('the pages of a PDF one by one; present if the parser option `pages` is set'),
    blocks: z.array(pageBlocks).optional().describe('present if the parser option `blocks` is set'),
    pageImages: z
      .array(
        z.object({
          pageNumber: z.int().min(1),
          url: z.string().describe('of a PNG, which works without a key for at least 24 hours'),
        }),
      )
      .optional()
      .describe('pictures of the pages that the parser option `pageImages` names'),
    actions: actionResults.optional().describe('present if the request had actions'),
    warning: z.string().optional().describe('limitations of the result'),
    metadata,
  })
  .meta({ id: 'Document' });

/** A scraped page, as the API returns it. */
export type Document = z.output<typeof document>;
