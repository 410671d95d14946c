import { z } from 'zod';
import { bounded } from '../json/bounded.ts';
import { callerFields } from './scrape-options.ts';

const MAX_METADATA_BYTES = 8 * 1024;

const slug = z
  .string()
  .max(80)
  .regex(/^[\w-]+$/, 'must consist of letters, digits, - and _');

const fields = {
  rating: z.enum(['good', 'partial', 'bad']),
  valuableSources: bounded(
    z.array(z.strictObject({ url: z.string().min(1).max(16_384), reason: z.string().max(1_000).optional() })),
    { entries: 50 },
  )
    .default([])
    .describe('results that were of use'),
  missingContent: bounded(
    z.array(
      z.strictObject({
        topic: z.string().min(1).max(200),
        description: z.string().max(2_000).optional(),
      }),
    ),
    { entries: 20 },
  )
    .default([])
    .describe('what the results lack'),
  querySuggestions: z.string().max(2_000).optional().describe('queries that would find more'),
};

interface RatedFields {
  rating: 'good' | 'partial' | 'bad';
  valuableSources: unknown[];
  missingContent: unknown[];
  querySuggestions?: string | undefined;
}

/** Checks that the feedback says what its rating is about. */
function checkRating(
  { rating, valuableSources, missingContent, querySuggestions }: RatedFields,
  context: z.RefinementCtx,
): void {
  const hasSources = valuableSources.length > 0;
  const hasGaps = missingContent.length > 0;
  const rules = {
    good: { isMet: hasSources, needs: 'valuableSources' },
    partial: { isMet: hasSources || hasGaps, needs: 'valuableSources or missingContent' },
    bad: { isMet: hasGaps || Boolean(querySuggestions?.trim()), needs: 'missingContent or querySuggestions' },
  };
  const { isMet, needs } = rules[rating];
  if (isMet) return;
  context.addIssue({ code: 'custom', path: ['rating'], message: `the rating ${rating} needs ${needs}` });
}

/** Body of `POST /v2/search/{jobId}/feedback`. */
export const searchFeedbackBody = z.strictObject({ ...fields, ...callerFields }).superRefine(checkRating);

/** Body of `POST /v2/feedback`. */
export const feedbackBody = z
  .strictObject({
    endpoint: z.enum(['search', 'scrape', 'parse', 'map']),
    jobId: z.uuid(),
    ...fields,
    issues: bounded(z.array(slug), { entries: 20 }).default([]),
    tags: bounded(z.array(slug), { entries: 20 }).default([]),
    note: z.string().max(4_000).optional(),
    url: z.string().max(16_384).optional(),
    pageNumbers: bounded(z.array(z.int().min(1)), { entries: 100 }).default([]),
    metadata: z
      .record(z.string(), z.unknown())
      .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES, {
        error: 'metadata must be 8 KB or smaller',
      })
      .optional(),
    ...callerFields,
  })
  .superRefine((body, context) => {
    if (body.endpoint === 'search') checkRating(body, context);
    const signals = [body.valuableSources, body.missingContent, body.issues, body.tags, body.pageNumbers];
    const texts = [body.querySuggestions, body.note, body.url];
    if (signals.some(({ length }) => length > 0) || texts.some((text) => text?.trim())) return;
    const message = 'feedback needs more than a rating, such as issues, a note or missingContent';
    context.addIssue({ code: 'custom', path: [], message });
  });

/** Feedback after validation, of either endpoint. */
export type Feedback = z.output<typeof feedbackBody>;

/** Response of both endpoints. */
export const feedbackResponse = z.object({
  success: z.literal(true),
  feedbackId: z.uuid(),
  creditsRefunded: z
    .int()
    .describe('1 for the first feedback on a search that was billed, within the daily cap'),
  alreadySubmitted: z.boolean().optional().describe('present if there was feedback on the job already'),
  dailyCapReached: z.boolean().optional().describe('present if the daily cap prevented a refund'),
  creditsRefundedToday: z.int().optional(),
  dailyRefundCap: z.int().optional(),
});
