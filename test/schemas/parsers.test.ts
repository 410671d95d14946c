import { expect, it } from 'vitest';
import { parserOptions, parsers } from '../../src/schemas/parsers.ts';

it.each([[['pdf', { type: 'pdf', maxPages: 1 }]], [[{ type: 'pdf', maxPages: 1 }, 'pdf']]])(
  'The options of a parser count, wherever its bare name is, too: %j',
  (requested) => {
    expect(parserOptions(parsers.parse(requested))).toEqual([
      expect.objectContaining({ type: 'pdf', maxPages: 1 }),
    ]);
  },
);
