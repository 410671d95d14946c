import { z } from 'zod';
import { document } from './document.ts';

/**
 * Maximum size of the documents in one status response, in bytes of JSON. Clients of this API expect at most
 * 10 MB.
 */
export const STATUS_PAGE_BYTES = 10 * 1024 * 1024;

const wholeNumber = (name: string, least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, `Invalid pagination: ${name} must be a whole number`)
    .transform(Number)
    .refine(
      (value) => value >= least && value <= most,
      `Invalid pagination: ${name} must be ${least} to ${most}`,
    );

/** Query parameters of the status of a batch or crawl. */
export const pagination = z.object({
  skip: wholeNumber('skip', 0, 2_147_483_647)
    .optional()
    .describe(
      'documents to leave out; at the end of a running job’s list the answer is held back until there are more',
    ),
  limit: wholeNumber('limit', 1, 1_000).optional().describe('most documents in the answer'),
});

/** Response to the start of a batch or crawl. */
export const started = z.object({
  success: z.literal(true),
  id: z.uuid(),
  url: z.string().describe('where the status is'),
  invalidURLs: z
    .array(z.string())
    .optional()
    .describe('addresses that were left out; absent with ignoreInvalidURLs false'),
});

/** The status of a batch or crawl, with some of its documents. */
export const pageJobStatus = z
  .object({
    success: z.literal(true),
    status: z.enum(['scraping', 'completed', 'failed', 'cancelled']),
    total: z.int().describe('pages attempted or to be attempted'),
    completed: z.int().describe('pages with a document'),
    failed: z.int().describe('pages without an answer, see /errors'),
    creditsUsed: z.int(),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().optional(),
    duration: z.number().optional().describe('seconds from start to end'),
    expiresAt: z.iso.datetime().describe('when the results are deleted'),
    paused: z.boolean().optional().describe('present while the job is paused'),
    error: z.string().optional().describe('why the job failed'),
    warning: z.string().optional().describe('what to know of the result'),
    next: z.string().optional().describe('where more documents are, or will be; absent at the end'),
    data: z.array(document),
  })
  .meta({ id: 'PageJobStatus' });

/** A status without its documents. */
export type PageJobHead = Omit<z.output<typeof pageJobStatus>, 'data'>;

/** Response to the cancellation of a batch or crawl. */
export const cancelled = z.object({ status: z.literal('cancelled') });

/** The failed pages of a batch or crawl, and the URLs that it skipped. */
export const pageErrors = z.object({
  errors: z.array(
    z.object({
      id: z.uuid(),
      timestamp: z.iso.datetime().optional(),
      url: z.string(),
      code: z.string().optional(),
      error: z.string(),
    }),
  ),
  robotsBlocked: z.array(z.string()).describe('URLs that robots.txt does not allow; the first 1,000'),
  robotsBlockedCount: z
    .int()
    .optional()
    .describe(
      'how many URLs robots.txt does not allow, counted up to 100,000; only where not all are listed',
    ),
});

const tuning = {
  limit: z.int().min(1).max(10_000_000).optional().describe('most pages; a crawl only'),
  maxConcurrency: z.int().min(1).max(10_000).optional().describe('most pages at once'),
  delay: z.number().min(0).max(60).optional().describe('seconds between two pages; 0 takes it away'),
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
export const retuneBody = z
  .strictObject({
    ...tuning,
    origin: z.string().optional(),
    integration: z.string().nullish(),
  })
  .refine(
    ({ limit, maxConcurrency, delay }) => [limit, maxConcurrency, delay].some((each) => each !== undefined),
    {
      message: 'give at least one of limit, maxConcurrency and delay',
    },
  );

/** Response to a pause, resume or retune: the state and limits of the job after the change. */
export const control = z.object({
  success: z.literal(true),
  status: z.enum(['scraping', 'completed', 'failed', 'cancelled']),
  paused: z.boolean(),
  limit: z.int().nullable().describe('null: without'),
  maxConcurrency: z.int().nullable().describe('null: what the team may'),
  delay: z.number().nullable().describe('seconds'),
});

/** Response to a retry. */
export const retried = z.object({
  success: z.literal(true),
  retried: z.int().describe('pages that are tried again'),
});
