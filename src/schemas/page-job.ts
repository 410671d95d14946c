import { z } from 'zod';
import { atLeastOne, withKeywords } from '../json/schema-keywords.ts';
import { document } from './document.ts';
import { wholeNumber } from './pagination.ts';

/** The file formats of exports. */
export const EXPORT_FORMATS = ['jsonl', 'parquet', 'warc', 'wacz'] as const;

/** The field of crawls and batches that keeps what the sites sent. */
export const archive = z
  .boolean()
  .optional()
  .describe(
    'keep the responses of the sites as they came, for exports as a web archive; pages are then not taken from the cache',
  );

/**
 * Maximum size of the documents in one status response, in bytes of JSON. Clients of this API expect at most
 * 10 MB.
 */
export const STATUS_PAGE_BYTES = 10 * 1024 * 1024;

/** Query parameters of the status of a batch or crawl. */
export const statusQuery = z.strictObject({
  skip: wholeNumber('skip', 0, 2_147_483_647)
    .optional()
    .describe(
      'number of documents to skip; if all documents of a running job are skipped, the response is delayed until there are more',
    ),
  limit: wholeNumber('limit', 1, 1_000).optional().describe('maximum number of documents in the response'),
});

/** Query parameters of the export of a batch or crawl. */
export const exportQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS).default('jsonl').describe('file format'),
  skip: wholeNumber('skip', 0, 2_147_483_647)
    .default(0)
    .describe('number of documents to skip, such as those of an export that broke off'),
});

/** Response to the start of a batch or crawl. */
export const startResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  url: z.string().describe('URL of the status of the job'),
  invalidURLs: z
    .array(z.string())
    .optional()
    .describe('invalid URLs that were left out; absent if ignoreInvalidURLs is false'),
  warning: z
    .string()
    .optional()
    .describe(
      'what is valid but hardly meant: doubled URLs, patterns that match nothing or everything, a webhook that gets nothing',
    ),
});

/** The status of a batch or crawl, with some of its documents. */
export const pageJobStatus = z
  .object({
    success: z.literal(true),
    status: z.enum(['scraping', 'completed', 'failed', 'cancelled']),
    total: z.int().describe('number of pages that were scraped or will be'),
    completed: z.int().describe('number of pages with a document'),
    failed: z.int().describe('number of pages that failed; /errors lists them'),
    creditsUsed: z.int(),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().optional(),
    duration: z.number().optional().describe('seconds from the start of the job to its end'),
    expiresAt: z.iso.datetime().describe('when the results are deleted'),
    paused: z.boolean().optional().describe('present while the job is paused'),
    error: z.string().optional().describe('reason why the job failed'),
    warning: z.string().optional().describe('limitations of the result'),
    archivedBytes: z
      .int()
      .optional()
      .describe('size of the responses of the sites that the job keeps; present with `archive`'),
    next: z
      .string()
      .optional()
      .describe('URL of the next documents, which may not exist yet; absent at the end'),
    data: z.array(document),
  })
  .meta({ id: 'PageJobStatus' });

/** A status without its documents. */
export type PageJobHead = Omit<z.output<typeof pageJobStatus>, 'data'>;

/** Response to the cancellation of a batch or crawl, which may have ended before. */
export const cancelResponse = z.object({
  status: z
    .enum(['cancelled', 'completed', 'failed'])
    .describe('how the job ended: `completed` or `failed` if that was before the request'),
});

/** The failed pages of a batch or crawl, and the URLs that it skipped. */
export const pageErrors = z.object({
  success: z.literal(true),
  errors: z.array(
    z.object({
      id: z.uuid(),
      timestamp: z.iso.datetime().optional(),
      url: z.string(),
      code: z.string().optional(),
      error: z.string(),
    }),
  ),
  robotsBlocked: z.array(z.string()).describe('the first 1,000 URLs that robots.txt disallows'),
  robotsBlockedCount: z
    .int()
    .optional()
    .describe(
      'number of URLs that robots.txt disallows, counted up to 100,000; present only if not all of them are listed',
    ),
});

const tuning = {
  limit: z.int().min(1).max(10_000_000).optional().describe('maximum number of pages; crawls only'),
  maxConcurrency: z.int().min(1).max(10_000).optional().describe('maximum number of concurrent pages'),
  delay: z.number().min(0).max(60).optional().describe('seconds between two pages; 0 removes the delay'),
};

/** Changes of a running batch or crawl. A field that is absent stays unchanged. */
export const retuning = z.strictObject({ ...tuning, paused: z.boolean().optional() });
export type Retuning = z.output<typeof retuning>;

/**
 * Body of a POST request without parameters; it may be omitted. Clients add these two fields to every body.
 */
export const emptyBody = z
  .strictObject({ origin: z.string().optional(), integration: z.string().nullish() })
  .optional();

/** Body of a retune request. A field that is absent stays unchanged. */
export const retuneBody = withKeywords(
  z
    .strictObject({
      ...tuning,
      origin: z.string().optional(),
      integration: z.string().nullish(),
    })
    .refine(
      ({ limit, maxConcurrency, delay }) => [limit, maxConcurrency, delay].some((each) => each !== undefined),
      {
        message: 'at least one of limit, maxConcurrency and delay is required',
      },
    ),
  atLeastOne('limit', 'maxConcurrency', 'delay'),
);

/** Response to a pause, resume or retune: the state and limits of the job after the change. */
export const controlResponse = z.object({
  success: z.literal(true),
  status: z.enum(['scraping', 'completed', 'failed', 'cancelled']),
  paused: z.boolean(),
  limit: z.int().nullable().describe('null: no limit'),
  maxConcurrency: z.int().nullable().describe('null: the limit of the team'),
  delay: z.number().nullable().describe('seconds between two pages; null: no delay'),
});

/** The pace of a batch or crawl. */
export const pageJobHosts = z.object({
  success: z.literal(true),
  limit: controlResponse.shape.limit,
  maxConcurrency: controlResponse.shape.maxConcurrency,
  delay: controlResponse.shape.delay,
  progress: z
    .array(z.object({ documents: z.int(), at: z.iso.datetime() }))
    .describe(
      'how many documents there were at a time: the first, the last, and those between in equal steps',
    ),
  hosts: z
    .array(
      z.object({
        host: z.string(),
        requests: z.int().describe('fetches that have ended, also of pages that were tried again'),
        averageMs: z
          .int()
          .nullable()
          .describe('milliseconds of a fetch; null before the first one has ended'),
        pausedUntil: z.iso
          .datetime()
          .nullable()
          .describe('until when it gets no requests, because it asked to slow down'),
        robotsUntil: z.iso
          .datetime()
          .nullable()
          .describe('when its robots.txt, which is unavailable, is requested again'),
      }),
    )
    .describe(
      'at most 100 hosts: those that wait first, then the slowest ones; none with zero data retention',
    ),
});

/** Response to a retry. */
export const retryResponse = z.object({
  success: z.literal(true),
  retried: z.int().describe('number of pages that are retried'),
});
