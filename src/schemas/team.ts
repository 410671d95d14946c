import { z } from 'zod';
import { pagedFields, pagingFields } from './paging.ts';

const timestamp = z.iso.datetime();
const ok = z.literal(true);

/** What the remaining-credits fields say for a team without a limit. */
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

/** Query of the historical usage reports. */
export const historicalQuery = z.strictObject({
  byApiKey: z.stringbool().default(false).describe('one row per key and month'),
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
  jobsInQueue: z.int(),
  activeJobsInQueue: z.int(),
  waitingJobsInQueue: z.int(),
  maxConcurrency: z.int(),
  mostRecentSuccess: timestamp.nullable(),
});
export const concurrency = z.object({ success: ok, concurrency: z.int(), maxConcurrency: z.int() });

/** Query of the activity list. */
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
