import { expect, test } from 'vitest';
import { withFlagNames } from '../../src/cli/flag-names.ts';

const ARGS = {
  url: { type: 'positional' },
  timeout: { type: 'string' },
  'wait-for': { type: 'string' },
  formats: { type: 'string' },
  'max-pages': { type: 'string' },
} as const;

test.each([
  ['Bad Request: timeout must be at least 1000.', [['timeout']], '--timeout must be at least 1000.'],
  ['waitFor must be at most 60000', [['waitFor']], '--wait-for must be at most 60000'],
  ['formats[0].type: unknown format "x"', [['formats', 0, 'type']], '--formats: unknown format "x"'],
  [
    'Bad Request: parsers[0].maxPages must be at least 1, not 0.',
    [['parsers', 0, 'maxPages']],
    '--max-pages must be at least 1, not 0.',
  ],
  ['Invalid URL: x y', [['url']], 'Invalid URL: x y'],
  [
    'Bad Request: timeout is wrong. waitFor is wrong.',
    [['timeout'], ['waitFor']],
    '--timeout is wrong. --wait-for is wrong.',
  ],
])('the message %j names the flags of a command', (message, paths, told) => {
  expect(
    withFlagNames(
      message,
      paths.map((path) => ({ path })),
      ARGS,
    ),
  ).toBe(told);
});

test('a message without details stays', () => {
  expect(withFlagNames('The worker was lost.', { scrapeId: 'x' }, ARGS)).toBe('The worker was lost.');
});
