import { z } from 'zod';
import { isSelector } from '../html/selector.ts';
import { defineFormat } from './format.ts';

const lookup = { selector: z.string().min(1), attribute: z.string().min(1) };

/** Values of attributes, looked up by CSS selector in the whole page. */
export const attributes = defineFormat({
  field: 'attributes',
  request: z.strictObject({
    type: z.literal('attributes'),
    selectors: z
      .array(
        z.strictObject(lookup).refine(({ selector }) => isSelector(selector), {
          error: ({ input }) =>
            `selector ${JSON.stringify((input as { selector: string }).selector)} is no CSS selector`,
          path: ['selector'],
        }),
      )
      .min(1, 'selectors must name at least one'),
  }),
  value: z.array(z.object({ ...lookup, values: z.array(z.string()) })),
  run: (content, { selectors }) =>
    selectors.map(({ selector, attribute }) => ({
      selector,
      attribute,
      values: content.attribute(selector, attribute),
    })),
});
