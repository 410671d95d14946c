import { z } from 'zod';
import { paginationQuery, paginationResponse } from './pagination.ts';

const timestamp = z.iso.datetime();
const success = z.literal(true);

/** The number of credits that is reported for a team without a limit. */
export const UNLIMITED_CREDITS = 999_999_999;

const period = { billingPeriodStart: timestamp.nullable(), billingPeriodEnd: timestamp.nullable() };
export const creditUsageResponse = z.object({
  success,
  data: z.object({
    remainingCredits: z.int().describe(`${UNLIMITED_CREDITS}: no limit`),
    planCredits: z.int(),
    ...period,
  }),
});
export const tokenUsageResponse = z.object({
  success,
  data: z.object({ remainingTokens: z.int(), planTokens: z.int(), ...period }),
});

/** Query parameters of the historical usage reports. */
export const historicalQuery = z
  .strictObject({
    byApiKey: z.stringbool().default(false).describe('one row per API key and month'),
    timeRange: z
      .enum(['hour', 'day', 'week', 'month'])
      .optional()
      .describe(
        'length of a period in UTC (weeks begin on Monday, and hours are those of the last 7 days); default month; not possible with byApiKey',
      ),
  })
  .refine(({ byApiKey, timeRange }) => !byApiKey || timeRange === undefined, {
    path: ['timeRange'],
    error: 'timeRange is not possible with byApiKey, because the usage of each key is reported by month',
  });
const usagePeriod = {
  startDate: timestamp,
  endDate: timestamp,
  apiKey: z.string().optional().describe('name of the API key; only with byApiKey'),
};
export const creditHistoryResponse = z.object({
  success,
  periods: z.array(z.object({ ...usagePeriod, totalCredits: z.int(), creditsUsed: z.int() })),
});
export const tokenHistoryResponse = z.object({
  success,
  periods: z.array(z.object({ ...usagePeriod, totalTokens: z.int(), tokensUsed: z.int() })),
});

export const queueStatusResponse = z.object({
  success,
  jobsInQueue: z
    .int()
    .describe(
      'number of running scrapes and maps, and of unfinished pages of batches and crawls; each batch or crawl counts at least once',
    ),
  activeJobsInQueue: z.int().describe('number of those that hold a slot of the team'),
  waitingJobsInQueue: z.int(),
  maxConcurrency: z.int(),
  mostRecentSuccess: timestamp.nullable(),
});
export const concurrencyResponse = z.object({ success, concurrency: z.int(), maxConcurrency: z.int() });

/** Query parameters of the report on tokens of language models. */
export const modelUsageQuery = z.strictObject({
  timeRange: z
    .enum(['hour', 'day'])
    .optional()
    .describe('adds `periods` of this length in UTC: hours of the last 7 days, or days of the last 90'),
  byApiKey: z
    .stringbool()
    .default(false)
    .describe('one row of `periods` per API key and period; by day without timeRange'),
});
export const modelUsageResponse = z.object({
  success,
  data: z.object({
    tokensPerDay: z.int().nullable().describe('tokens that the team may use in a day (UTC); null: no limit'),
    days: z
      .array(z.object({ date: z.iso.date(), tokens: z.int() }))
      .describe(
        'the tokens of language models by day (UTC) in the last 90 days, oldest first; days without are absent',
      ),
    periods: z
      .array(
        z.object({
          startDate: timestamp,
          apiKey: z
            .string()
            .optional()
            .describe('name of the API key, empty for jobs without one; only with byApiKey'),
          tokens: z.int(),
          calls: z.int().describe('number of requests to a language model'),
        }),
      )
      .optional()
      .describe(
        'the tokens by period and key, oldest first; present with timeRange or byApiKey; periods without are absent',
      ),
  }),
});

const PAGE_USAGE_OUTCOMES = ['completed', 'http_error', 'failed'] as const;
/** How a page ended, as the report on pages tells it. */
export type PageUsageOutcome = (typeof PAGE_USAGE_OUTCOMES)[number];
export const pageUsageResponse = z.object({
  success,
  data: z
    .array(
      z.object({
        date: z.iso.date(),
        engine: z
          .string()
          .describe(
            'what read the page last: http, browser, cache, or upload for an uploaded file that was read; none if nothing was tried',
          ),
        outcome: z
          .enum(PAGE_USAGE_OUTCOMES)
          .describe('http_error: there is a document, of a page whose status is 400 or more'),
        pages: z.int(),
      }),
    )
    .describe(
      'the pages of scrapes, batches and crawls that ended in the last 90 days (UTC), oldest first; counts are some seconds late, and lack those seconds of a worker that was killed',
    ),
});

const limit = (described: string) =>
  z.object({ limit: z.int().nullable(), used: z.int() }).describe(`${described}; limit null: no limit`);
export const limitsResponse = z.object({
  success,
  data: z.object({
    requestsPerMinute: limit('requests in the current minute, apart from those that only read'),
    concurrency: limit('pages and scrapes at a time'),
    sessions: limit('browser sessions at a time'),
    openJobs: limit('batches, crawls, agents and extracts that have not ended'),
    monitors: limit('monitors'),
    storedMegabytes: limit('MiB of results that have not expired'),
    credits: limit('credits'),
    modelTokensPerDay: limit('tokens of language models in this day (UTC)'),
  }),
});

export const keysResponse = z.object({
  success,
  data: z.array(
    z.object({
      name: z.string(),
      hint: z.string().describe('the end of the key, which is not stored itself'),
      createdAt: timestamp,
      lastUsedAt: timestamp.nullable().describe('when it began the last job that is still kept'),
      revokedAt: timestamp.nullable(),
    }),
  ),
});

/** Query parameters of the activity list. */
export const activityQuery = z.strictObject({
  endpoint: z
    .enum([
      'scrape',
      'crawl',
      'batch_scrape',
      'search',
      'extract',
      'llmstxt',
      'deep_research',
      'map',
      'agent',
      'browser',
      'interact',
    ])
    .optional(),
  ...paginationQuery,
});
export const activityResponse = z.object({
  success,
  data: z.array(
    z.object({
      id: z.uuid(),
      endpoint: z.string(),
      api_version: z.string(),
      created_at: timestamp,
      target: z.string().nullable(),
    }),
  ),
  ...paginationResponse,
});
