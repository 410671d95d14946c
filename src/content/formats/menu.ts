import { z } from 'zod';
import { availability, money } from '../extraction/offer-schemas.ts';
import { defineFormat } from './format.ts';

const item = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  images: z.array(z.string()),
  price: money.optional(),
  availability,
  dietary: z.array(z.string()),
  calories: z.number().optional(),
  optionGroups: z.array(z.unknown()),
  sourceUrl: z.string(),
});

/** The menu of the restaurant or other place that the page is about. */
export const menu = defineFormat({
  field: 'menu',
  request: z.strictObject({ type: z.literal('menu') }),
  value: z.object({
    isMenu: z.boolean(),
    confidence: z.number().min(0).max(1),
    merchant: z.object({ name: z.string(), type: z.string().optional(), location: z.string().optional() }),
    currency: z.string().optional(),
    sections: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string().optional(),
        items: z.array(item),
      }),
    ),
    sourceUrl: z.string(),
  }),
  async run(content, _request, warn) {
    const { extractMenu } = await import('../extraction/menu.ts');
    const found = extractMenu(content);
    if (!found) warn('menu was left out, because the structured data of the page has no menu.');
    return found;
  },
});
