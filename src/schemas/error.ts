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
        'for an invalid request: a list of {code, path, message}; for a document whose conversion continues after the timeout: {state: "processing_continues", jobStatus, documentPages, estimatedRemainingSeconds, retryAfterSeconds, mayExceedProcessingWindow}',
      ),
  })
  .meta({ id: 'Error' });
