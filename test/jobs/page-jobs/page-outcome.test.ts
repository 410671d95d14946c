import { expect, it } from 'vitest';
import { toFetchError } from '../../../src/fetch/net/fetch-error.ts';
import { outcomeOfError } from '../../../src/jobs/page-jobs/page-outcome.ts';
import type { Claim } from '../../../src/storage/db/pages/claims.ts';

const claimOf = (attempts: number): Claim => ({
  id: '0198f0e4-0000-7000-8000-000000000000',
  ordinal: 1,
  url: 'http://127.0.0.1/',
  host: '127.0.0.1',
  depth: 0,
  hidden: false,
  attempts,
  losses: 0,
  waitedMs: 0,
});

it.each([
  ['ECONNREFUSED', [1_000, 3_000]],
  ['ECONNRESET', [2_000, 10_000]],
])('a page is tried again after %s with pauses of %j ms, and then fails', (code, pauses) => {
  const error = toFetchError(Object.assign(new Error('connect'), { code, syscall: 'connect' }), '127.0.0.1');
  const onUnexpected = (thrown: unknown) => {
    throw thrown;
  };
  const ends = [0, 1, 2].map(
    (attempts) => outcomeOfError(claimOf(attempts), error, { mayRetry: true, onUnexpected }).end,
  );
  expect(ends.map(({ retryInMs }) => retryInMs)).toEqual([...pauses, undefined]);
  expect(ends.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'SCRAPE_SITE_ERROR' } });
});
