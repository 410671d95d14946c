import { z } from 'zod';

/** Which part of a list is asked for: fields of a query. */
export const pagingFields = {
  limit: z.coerce
    .number()
    .int()
    .min(1, 'limit must be 1 to 100')
    .max(100, 'limit must be 1 to 100')
    .default(50),
  cursor: z.string().optional().describe('the cursor of the previous answer'),
};

/** Where an answer's list goes on. */
export const pagedFields = { cursor: z.string().nullable(), has_more: z.boolean() };
