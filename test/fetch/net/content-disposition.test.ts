import { expect, test } from 'vitest';
import { parseFileName } from '../../../src/fetch/net/content-disposition.ts';

test.each([
  ['attachment; filename="rates of 2026.csv"', 'rates of 2026.csv'],
  ['attachment; filename=rates.csv', 'rates.csv'],
  ['inline;FILENAME = rates.csv ; size=3', 'rates.csv'],
  ['attachment; filename="a \\"quoted\\"; name.csv"', 'a \\"quoted\\"; name.csv'],
  [`attachment; filename="x.bin"; filename*=UTF-8''m%C3%A4rz.csv`, 'm%C3%A4rz.csv'],
  ['attachment', ''],
  ['attachment; filename=""', ''],
  [undefined, ''],
])('the name in %s is %s', (header, name) => {
  expect(parseFileName(header)).toBe(name);
});
