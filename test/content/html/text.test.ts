import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine } from '../../../src/content/html/text.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

it('a text in one line has its words, with one space between two of them', () => {
  const character = fc.constantFrom(
    'a',
    'é',
    '😀',
    ' ',
    '\n',
    '\t',
    '\r',
    '\f',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u3000',
  );
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(oneLine(text)).toBe(text.split(/\s+/).filter(Boolean).join(' '));
    }),
    propertyRuns(1_000),
  );
});
