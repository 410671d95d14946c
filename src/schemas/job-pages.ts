import { z } from 'zod';
import { wholeNumber } from './pagination.ts';

/** How many pages that match a filter are counted at most, because each of them is looked at. */
export const MAX_COUNTED_PAGES = 100_000;

/** The states of a page of a batch or crawl. */
const PAGE_STATES = ['waiting', 'scraping', 'completed', 'failed'] as const;
export type PageState = (typeof PAGE_STATES)[number];

/** Each word is looked for in the URL of every page. */
const MAX_WORDS = 10;

/** The words of a search. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Query parameters of the list of pages of a batch or crawl. */
export const jobPagesQuery = z.strictObject({
  status: z.enum(PAGE_STATES).optional().describe('only pages in this state'),
  errorCode: z
    .string()
    .max(100)
    .optional()
    .describe('only pages whose last attempt ended with this error code, such as SCRAPE_TIMEOUT'),
  search: z
    .string()
    .max(200, 'search must have at most 200 characters')
    .refine((text) => wordsOf(text).length <= MAX_WORDS, `search must have at most ${MAX_WORDS} words`)
    .optional()
    .describe('only pages whose URL contains each of these words, in any case'),
  skip: wholeNumber('skip', 0, 2_147_483_647).default(0).describe('number of pages to skip'),
  limit: wholeNumber('limit', 1, 1_000).default(100).describe('maximum number of pages in the response'),
});

const listedPage = z.object({
  id: z.uuid().describe('id of the page, by which /v2/scrape/{id} has its document and /why its course'),
  url: z.string(),
  status: z.enum(PAGE_STATES).describe('`waiting` also after the end of a job that did not scrape the page'),
  attempts: z.int().describe('number of requests for the page'),
  code: z.string().nullable().describe('error code of the last attempt'),
  error: z.string().nullable().describe('why the last attempt failed'),
  finishedAt: z.iso.datetime().nullable(),
});

/** The pages of a batch or crawl. */
export const jobPages = z.object({
  success: z.literal(true),
  total: z
    .int()
    .describe(`number of pages that match, counted up to ${MAX_COUNTED_PAGES.toLocaleString('en')}`),
  errorCodes: z
    .array(z.object({ code: z.string(), pages: z.int() }))
    .describe('the error codes of all failed pages of the job, the most frequent one first'),
  data: z.array(listedPage).describe('the pages in the order in which they were found'),
  next: z.string().optional().describe('URL of the next pages; absent at the end'),
});
