import { describe, expect, it } from 'vitest';
import { compareWords } from '../../../src/console/elements/word-diff.ts';
import { numberOf } from '../../../src/console/monitors/value-plot.ts';

describe('two lines', () => {
  it('are compared word by word', () => {
    expect(compareWords('It costs 12 euros.', 'It costs 9 euros.')).toEqual({
      before: [
        { text: 'It costs ', isKept: true },
        { text: '12', isKept: false },
        { text: ' euros.', isKept: true },
      ],
      after: [
        { text: 'It costs ', isKept: true },
        { text: '9', isKept: false },
        { text: ' euros.', isKept: true },
      ],
    });
  });

  it('that have no word in common or are long are not compared', () => {
    expect(compareWords('One two', 'Three four')).toBeUndefined();
    expect(compareWords('a '.repeat(1_000), 'a')).toBeUndefined();
  });
});

it.each<[unknown, number | undefined]>([
  [9, 9],
  ['9', 9],
  ['1.299,00 €', 1299],
  ['$1,299.50', 1299.5],
  ['1,299', 1299],
  ['12,5 kg', 12.5],
  ['3 of 4', undefined],
  ['sold', undefined],
  [true, undefined],
])('the number in the value %j of a page is %j', (value, number) => expect(numberOf(value)).toBe(number));
