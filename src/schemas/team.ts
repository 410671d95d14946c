import { z } from 'zod';
import { pagedFields, pagingFields } from './paging.ts';

const timestamp = z.iso.datetime();
const ok = z.literal(true);

/** The number of credits that is reported for a team without a limit. */
export const UNLIMITED = 999_999_999;

const period = { billingPeriodStart: timestamp.nullable(), billingPeriodEnd: timestamp.nullable() };
export const creditUsage = z.object({
  success: ok,
  data: z.object({
    remainingCredits: z.int().describe(`${UNLIMITED}: without a limit`),
    planCredits: z.int(),
    ...period,
  }),
});
export const tokenUsage = z.object({
  success: ok,
  data: z.object({ remainingTokens: z.int(), planTokens: z.int(), ...period }),
});

/** Query parameters of the historical usage reports. */
export const historicalQuery = z
  .object({
    byApiKey: z.stringbool().default(false).describe('one row per key and month'),
    timeRange: z
      .enum(['day', 'week', 'month'])
      .optional()
      .describe('length of a period (UTC; weeks begin on Monday); default month; not with byApiKey'),
  })
  .refine(({ byApiKey, timeRange }) => !byApiKey || timeRange === undefined, {
    path: ['timeRange'],
    error: 'timeRange is not possible with byApiKey: the usage of single keys is by month',
  });
const month = {
  startDate: timestamp,
  endDate: timestamp,
  apiKey: z.string().optional().describe('the key’s name'),
};
export const creditHistory = z.object({
  success: ok,
  periods: z.array(z.object({ ...month, totalCredits: z.int(), creditsUsed: z.int() })),
});
export const tokenHistory = z.object({
  success: ok,
  periods: z.array(z.object({ ...month, totalTokens: z.int(), tokensUsed: z.int() })),
});

export const queueStatus = z.object({
  success: ok,
  jobsInQueue: z
    .int()
    .describe(
      'scrapes and maps that run, and open pages of batches and crawls, each of which counts at least once',
    ),
  activeJobsInQueue: z.int().describe('those of them that have a slot of the team'),
  waitingJobsInQueue: z.int(),
  maxConcurrency: z.int(),
  mostRecentSuccess: timestamp.nullable(),
});
export const concurrency = z.object({ success: ok, concurrency: z.int(), maxConcurrency: z.int() });

/** Query parameters of the activity list. */
export const activityQuery = z.object({
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
  ...pagingFields,
});
export const activity = z.object({
  success: ok,
  data: z.array(
    z.object({
      id: z.uuid(),
      endpoint: z.string(),
      api_version: z.string(),
      created_at: timestamp,
      target: z.string().nullable(),
    }),
  ),
  ...pagedFields,
});
