import { z } from 'zod';

/** Body of every error response. */
export const errorAnswer = z
  .object({
    success: z.literal(false),
    error: z.string().describe('what happened, to what, and what to do'),
    code: z.string(),
    details: z.unknown().optional().describe('for a refused body: a list of {code, path, message}'),
  })
  .meta({ id: 'Error' });
