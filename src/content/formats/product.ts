import { z } from 'zod';
import { availability, money } from '../extraction/offer-schemas.ts';
import { defineFormat } from './format.ts';

/** The product that the page describes. */
export const product = defineFormat({
  field: 'product',
  request: z.strictObject({ type: z.literal('product') }),
  value: z.object({
    title: z.string(),
    url: z.string(),
    brand: z.string().optional(),
    category: z.string().optional(),
    description: z.string().optional(),
    variants: z.array(
      z.object({
        id: z.string().optional(),
        sku: z.string().optional(),
        title: z.string().optional(),
        values: z.record(z.string(), z.string()).optional(),
        price: money.optional(),
        availability,
        images: z.array(z.object({ url: z.string() })).optional(),
      }),
    ),
  }),
  async run(content, _request, warn) {
    const { extractProduct } = await import('../extraction/product.ts');
    const found = extractProduct(content);
    if (!found) warn('product was left out, because the structured data of the page has no single product.');
    return found;
  },
});
