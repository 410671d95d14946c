import { z } from 'zod';
import { quote } from '../../errors.ts';
import { bounded } from '../../json/bounded.ts';
import { withKeywords } from '../../json/schema-keywords.ts';
import { isSelector } from '../html/selector.ts';
import { defineFormat } from './format.ts';

const MAX_SELECTORS = 1_000;
const MAX_SELECTOR_CHARACTERS = 100_000;
const lookup = {
  selector: withKeywords(z.string().min(1), { examples: ['a', 'img.photo'] }),
  attribute: withKeywords(z.string().min(1), { examples: ['href'] }),
};

/** Values of attributes, looked up by CSS selector in the whole page. */
export const attributes = defineFormat({
  field: 'attributes',
  request: z.strictObject({
    type: z.literal('attributes'),
    selectors: bounded(
      z
        .array(
          z.strictObject(lookup).refine(({ selector }) => isSelector(selector), {
            error: ({ input }) =>
              `selector ${quote((input as { selector: string }).selector)} is no CSS selector`,
            path: ['selector'],
          }),
        )
        .min(1, 'selectors must name at least one'),
      { entries: MAX_SELECTORS, characters: MAX_SELECTOR_CHARACTERS },
    ),
  }),
  value: z.array(z.object({ ...lookup, values: z.array(z.string()) })),
  run: (content, { selectors }) =>
    selectors.map(({ selector, attribute }) => ({
      selector,
      attribute,
      values: content.attribute(selector, attribute),
    })),
});
