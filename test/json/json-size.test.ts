import { expect, it } from 'vitest';
import { findExceededBound, hasTooManyValues, MAX_JSON_VALUES } from '../../src/json/json-size.ts';

const check = (json: string) => hasTooManyValues(Buffer.from(json));
const MANY = MAX_JSON_VALUES + 1;

it.each([
  ['numbers in a list', `[${'1,'.repeat(MANY)}1]`],
  ['objects', `[${'{},'.repeat(MANY / 2)}{}]`],
  ['fields', `{${'"a":1,'.repeat(MANY)}"a":1}`],
  ['nested lists', '['.repeat(1024 * 1024 + MANY)],
  ['values after strings with quotes and backslashes', `["\\\\","\\"",${'1,'.repeat(MANY)}1]`],
])('too many %s are noticed without parsing them', (_what, json) => {
  expect(check(json)).toBe(true);
});

it.each([
  ['a long string', JSON.stringify('x'.repeat(3_000_000))],
  ['a text with commas, brackets and quotes', JSON.stringify('{"a", [b]}\\'.repeat(300_000))],
  ['a string of backslashes', JSON.stringify('\\'.repeat(3_000_000))],
  ['as many numbers as are allowed', `[${'10,'.repeat(MAX_JSON_VALUES - 2)}10]`],
  ['a string that does not end', `["${'x'.repeat(2_000_000)}`],
])('%s is no reason not to parse JSON', (_what, json) => {
  expect(check(json)).toBe(false);
});

it.each([
  ['[[[1]]]', { depth: 2 }, 'depth'],
  ['[[[1]]]', { depth: 3 }, undefined],
  ['[[1], [[2]]]', { depth: 2 }, 'depth'],
  ['{"a": {"b": 1}}', { depth: 1 }, 'depth'],
  ['["[[[[", "\\"[["]', { depth: 1 }, undefined],
  ['{"a": 1, "b": [{"c": 2}]}', { members: 2 }, 'members'],
  ['{"a": 1, "b": [{"c": 2}]}', { members: 3 }, undefined],
  ['["a:b:c", "{\\":\\":"]', { members: 0 }, undefined],
  ['[1, 2, 3]', { values: 3 }, 'values'],
  ['[1, 2, 3]', { values: 4 }, undefined],
  ['"text"', { values: 1, members: 0, depth: 0 }, undefined],
])('%s with the bounds %j exceeds: %s', (json, bounds, exceeded) => {
  expect(findExceededBound(Buffer.from(json), bounds)).toBe(exceeded);
});
