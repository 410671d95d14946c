import { z } from 'zod';

/** Body of every error response. */
export const errorResponse = z
  .object({
    success: z.literal(false),
    error: z.string().describe('what happened, to what, and what to do about it'),
    code: z.string(),
    details: z
      .unknown()
      .optional()
      .describe(
        'for an invalid request: a list of at most 20 {code, path, message}, of which the last says how many more there are; for a document whose conversion continues after the timeout: {state: "processing_continues", jobStatus, documentPages, estimatedRemainingSeconds, retryAfterSeconds, mayExceedProcessingWindow}',
      ),
  })
  .meta({ id: 'Error' });
