import { z } from 'zod';

/** Query parameters that select a part of a list. */
export const paginationQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1, 'limit must be 1 to 100')
    .max(100, 'limit must be 1 to 100')
    .default(50),
  cursor: z.string().optional().describe('the cursor of the previous response'),
};

/** Response fields that lead to the next part of a list. */
export const paginationResponse = {
  cursor: z.string().nullable().describe('cursor of the next part; null at the end'),
  has_more: z.boolean(),
};

/** A whole number in a query, with messages that name it. */
export const wholeNumber = (name: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `Invalid pagination: ${name} must be a whole number of ${min} or more`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `Invalid pagination: ${name} must be ${min} to ${max}`);
