import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkData, mergeData, toRequestSchema } from '../../../src/content/extraction/check-data.ts';

const ITEM = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: ['number', 'null'] } },
  required: ['name'],
};

describe('data of a language model', () => {
  it.each<[string, object, unknown, unknown]>([
    ['keys that the schema does not declare', ITEM, { name: 'a', admin: true }, { name: 'a' }],
    [
      'such keys in lists and references',
      {
        type: 'object',
        properties: { items: { type: 'array', items: { $ref: '#/$defs/item' } } },
        $defs: { item: ITEM },
      },
      { items: [{ name: 'a', x: 1 }] },
      { items: [{ name: 'a' }] },
    ],
    [
      'such keys in draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { item: { $ref: '#/definitions/item' } },
        definitions: { item: ITEM },
      },
      { item: { name: 'a', x: 1 } },
      { item: { name: 'a' } },
    ],
    [
      'null where it is not allowed',
      { type: 'object', properties: { name: { type: 'string' } } },
      { name: null },
      {},
    ],
    [
      'what zod forbids',
      z.toJSONSchema(z.object({ name: z.string(), tags: z.array(z.string()).optional() })),
      { name: 'a', tags: null, x: 1 },
      { name: 'a' },
    ],
  ])('loses %s', (_what, schema, value, expected) => {
    expect(checkData({ schema: schema as Record<string, unknown>, value })).toEqual({
      value: expected,
      faults: [],
    });
  });

  it.each<[string, object, unknown]>([
    ['null where it is allowed', ITEM, { name: 'a', price: null }],
    ['all keys of an object that declares none', { type: 'object' }, { a: 1, b: { c: 2 } }],
    [
      'further keys where they are allowed',
      { type: 'object', properties: { a: {} }, additionalProperties: true },
      { a: 1, b: 2 },
    ],
    [
      'keys of either alternative',
      { anyOf: [ITEM, { type: 'object', properties: { x: {} } }] },
      { name: 'a', x: 1 },
    ],
  ])('keeps %s', (_what, schema, value) => {
    expect(checkData({ schema: schema as Record<string, unknown>, value })).toEqual({ value, faults: [] });
  });

  it('has its faults in sentences, and the rest that is valid', () => {
    const schema = { ...ITEM, required: ['name', 'price'] };
    expect(checkData({ schema, value: { name: 7, price: 2 } })).toEqual({
      value: { name: 7, price: 2 },
      faults: ['/name must be string.'],
      rest: { price: 2 },
    });
    expect(checkData({ schema, value: { name: 'a' } }).faults).toEqual([
      "The value must have required property 'price'.",
    ]);
    expect(checkData({ schema, value: 'text' })).toEqual({
      value: 'text',
      faults: ['The value must be object.'],
    });
  });

  it('has no number that JSON cannot have', () => {
    expect(checkData({ schema: ITEM, value: JSON.parse('{"name":"a","price":1e999}') })).toEqual({
      value: { name: 'a', price: Number.POSITIVE_INFINITY },
      faults: ['/price must be number,null.'],
      rest: { name: 'a' },
    });
  });

  it('need not be complete if it is from a part of the page', () => {
    expect(checkData({ schema: ITEM, value: {}, isPart: true }).faults).toEqual([]);
  });
});

describe('the schema that an endpoint gets', () => {
  it('is that of the user if it describes an object', () => {
    const { $schema: _, ...plain } = ITEM as Record<string, unknown>;
    expect(toRequestSchema({ $schema: 'x', ...ITEM })).toEqual({ schema: plain, isWrapped: false });
    expect(toRequestSchema({ properties: { a: {} } }).schema).toEqual({
      type: 'object',
      properties: { a: {} },
    });
  });

  it('wraps any other in an object, with references to their new places', () => {
    const schema = {
      type: 'array',
      items: { $ref: '#/$defs/item' },
      $defs: { item: { type: 'array', items: { $ref: '#' } } },
    };
    const { schema: sent, isWrapped } = toRequestSchema(schema);
    expect(isWrapped).toBe(true);
    expect(sent).toMatchObject({
      required: ['data'],
      properties: {
        data: {
          items: { $ref: '#/properties/data/$defs/item' },
          $defs: { item: { items: { $ref: '#/properties/data' } } },
        },
      },
    });
  });
});

describe('data from several parts of a page', () => {
  it('is merged: lists are joined without repetitions, and the first of other values is kept', () => {
    const parts = [
      { title: 'a', items: [1, 2], maker: { name: null }, note: '' },
      { title: 'b', items: [2, 3], maker: { name: 'x', age: 1 } },
      {},
    ];
    expect(mergeData(parts)).toEqual({
      title: 'a',
      items: [1, 2, 3],
      maker: { name: 'x', age: 1 },
      note: '',
    });
    expect(mergeData([[{ a: 1 }], [{ a: 1 }, { a: 2 }]])).toEqual([{ a: 1 }, { a: 2 }]);
    expect(mergeData([undefined, undefined])).toBeUndefined();
  });
});
