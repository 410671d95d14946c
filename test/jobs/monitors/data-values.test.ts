import { expect, it } from 'vitest';
import { dataValuesOf } from '../../../src/jobs/monitors/data-values.ts';

it('the data of a page has single values by name, within bounds', () => {
  expect(dataValuesOf({ markdown: 'x' })).toBeNull();
  expect(
    dataValuesOf({
      json: { price: 9, offers: [{ price: '12 €' }], sold: false, none: null, text: 'x'.repeat(201) },
      product: { title: 'Lamp' },
    }),
  ).toEqual({ price: 9, 'offers.0.price': '12 €', sold: false, 'product.title': 'Lamp' });
  expect(dataValuesOf({ json: 'a\u0000b' })).toEqual({ value: 'ab' });
  expect(Object.keys(dataValuesOf({ json: Array(1_000).fill(1) }) ?? {})).toHaveLength(100);
  let deep: unknown = 1;
  for (let depth = 0; depth < 50; depth++) deep = { deep };
  expect(dataValuesOf({ json: { deep, price: 9 } })).toEqual({ price: 9 });
});
