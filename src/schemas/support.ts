import { z } from 'zod';
import { callerFields } from './scrape-options.ts';

const question = z.string().min(1).max(8_000).describe('the question, in plain words');
const requestId = z.uuid();
const durationMs = z.int().nonnegative().describe('milliseconds that the answer took');

/** Body of `POST /v2/support/ask`. */
export const askBody = z
  .strictObject({
    question,
    rationale: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe('what the end user is trying to do; recommended where a program asks'),
    jobId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'id of the job that the question is about: a scrape, a batch, a crawl, a map or one of their pages',
      ),
    context: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('anything else that the caller knows; it is stored with the question and not interpreted'),
    ...callerFields,
  })
  .meta({ id: 'SupportQuestion' });

/** A support question with all defaults filled in. */
export type AskRequest = z.output<typeof askBody>;

/**
 * Fields of the response of `POST /v2/support/ask`, which are the same whether or not something was found.
 */
export const askResponse = z
  .object({
    requestId,
    answer: z.string().describe('two to four sentences: what happened, and what to do'),
    confidence: z.enum(['high', 'medium', 'low']),
    fixParameters: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'the smallest set of parameters to merge into the request: each replaces that of the request, also within scrapeOptions, and a parameter that is null is to be left out; null if none helps',
      ),
    validation: z
      .object({
        tested: z.boolean(),
        result: z.enum(['success', 'failure', 'skipped']),
        evidence: z.string(),
      })
      .nullable()
      .describe(
        'whether scrapes of the same URL, which are not billed, prove fixParameters; null without a fix',
      ),
    feedback: z
      .object({ blockedBy: z.string(), attempted: z.array(z.string()) })
      .nullable()
      .describe('why no answer was found, and what was tried; null if one was found'),
    durationMs,
  })
  .meta({ id: 'SupportAnswer' });

/** The response to a support question. */
export type SupportAnswer = z.output<typeof askResponse>;

/** Body of `POST /v2/support/docs-search`. */
export const docsSearchBody = z.strictObject({ question, ...callerFields });

/** Response of `POST /v2/support/docs-search`. */
export const docsSearchResponse = z.object({
  requestId,
  answer: z
    .string()
    .describe('from the guides and the API reference; what they do not cover is not answered'),
  evidence: z
    .array(
      z.object({
        pathOrUrl: z.string().describe('URL of the section, which this service serves'),
        reason: z.string(),
      }),
    )
    .describe('the sections that the answer is based on, the best one first'),
  usage: z
    .object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() })
    .describe('tokens of the language model; zero without one'),
  durationMs,
});
