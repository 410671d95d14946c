import { z } from 'zod';

/** An amount of money in a result. */
export const money = z.object({
  amount: z.number(),
  currency: z.string().optional().describe('ISO 4217'),
  formatted: z.string().optional().describe('as the page shows it'),
});

/** Whether a product or dish is available. */
export const availability = z.object({
  inStock: z.boolean().describe('true as well where an offer says nothing of its stock'),
  text: z.string().optional(),
});
