import { z } from 'zod';

/** The states of an agent or extract, as clients see them. */
export const runStatus = z.enum(['processing', 'completed', 'failed', 'cancelled']);

/** The fields of a status of an agent or extract, besides its result. */
export const runFields = {
  success: z.literal(true),
  id: z.uuid(),
  status: runStatus,
  data: z.unknown().optional().describe('the result; present when it is completed'),
  error: z.string().optional().describe('why it failed'),
  warning: z.string().optional().describe('how the data was found, and what is missing'),
  llmUsage: z
    .int()
    .optional()
    .describe('tokens that the language model used; present when it is completed. They are not billed'),
  expiresAt: z.iso.datetime().describe('when the result is deleted'),
  creditsUsed: z.int().describe('credits until now; one that fails costs only its pages'),
  tokensUsed: z.int().describe('creditsUsed in tokens, of which 15 are one credit'),
};
