import { expect, it } from 'vitest';
import { withScrapeId } from '../../src/api/deliver-result.ts';

it.each([
  ['read ECONNRESET', 'ECONNRESET'],
  ['There was no byte from the database for 20 s.', 'ETIMEDOUT'],
])(
  'a scrape whose result cannot be read (%s) is one of an unavailable database, and names its id',
  (message, code) => {
    const error = withScrapeId(Object.assign(new Error(message), { code }), 'the-scrape');
    expect(error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The database does not respond. Try again in a few seconds.',
      retryAfterSeconds: 2,
      details: { scrapeId: 'the-scrape' },
    });
  },
);
