import { expect, it } from 'vitest';
import { withScrapeId } from '../../src/api/deliver-result.ts';
import { ServiceError } from '../../src/errors.ts';

it('the error of a scrape whose result cannot be read names its id', () => {
  const message = 'The database does not respond. Try again in a few seconds.';
  const thrown = new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2 });
  expect(withScrapeId(thrown, 'the-scrape')).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message,
    retryAfterSeconds: 2,
    details: { scrapeId: 'the-scrape' },
  });
});
