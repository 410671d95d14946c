import { z } from 'zod';
import { LISTED_KINDS } from '../job-kinds.ts';
import { paginationQuery, paginationResponse } from './pagination.ts';

const JOB_STATES = ['scraping', 'completed', 'failed', 'cancelled'] as const;
const kinds = z.enum(LISTED_KINDS);

/** Query parameters of the list of jobs. */
export const jobListQuery = z.strictObject({
  kind: kinds.optional().describe('only jobs of this kind'),
  status: z.enum(JOB_STATES).optional().describe('only jobs in this state'),
  target: z.string().max(2048).optional().describe('only jobs whose target contains this text, in any case'),
  errorCode: z.string().max(100).optional().describe('only jobs that failed with this error code'),
  statusCode: z.coerce
    .number()
    .int()
    .min(100)
    .max(599)
    .optional()
    .describe('only scrapes whose page answered with this HTTP status'),
  apiKey: z.string().max(200).optional().describe('only jobs that the API key of this name has begun'),
  since: z.iso.datetime().optional().describe('only jobs that began at this time or later'),
  until: z.iso.datetime().optional().describe('only jobs that began before this time'),
  ...paginationQuery,
});

const listedJob = z.object({
  id: z.uuid(),
  kind: kinds,
  status: z.enum(JOB_STATES).describe('scraping: the job is running, whatever its kind'),
  paused: z.boolean().describe('whether a running batch or crawl takes no new pages'),
  target: z
    .string()
    .nullable()
    .describe(
      'URL or query; https://uploads.invalid/ and its name for an uploaded file; null with zero data retention',
    ),
  apiKey: z.string().nullable().describe('name of the API key that began the job'),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  creditsUsed: z.int(),
  pages: z
    .object({ total: z.int().describe('pages found so far'), completed: z.int(), failed: z.int() })
    .nullable()
    .describe('the pages of a batch or crawl; null for other kinds'),
  statusCode: z
    .int()
    .nullable()
    .describe(
      'HTTP status with which the page of a completed scrape answered; null for other jobs, and with zero data retention',
    ),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export const jobListResponse = z.object({
  success: z.literal(true),
  data: z.array(listedJob),
  ...paginationResponse,
});
