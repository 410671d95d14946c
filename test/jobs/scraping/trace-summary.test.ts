import { expect, it } from 'vitest';
import { summarizeTrace } from '../../../src/jobs/scraping/trace-summary.ts';
import type { EngineAttempt, PageTrace } from '../../../src/schemas/page-trace.ts';

/** One sentence that tells how a page went. */

const fetched = (change: Partial<EngineAttempt> = {}): EngineAttempt => ({
  engine: 'http',
  startMs: 0,
  ms: 120,
  result: 'HTTP 200',
  ...change,
});

const completed = (trace: PageTrace) => summarizeTrace({ status: 'completed', error: null, trace });

it('names the engine, the time, what took most of it, and the price', () => {
  const stages: PageTrace['stages'] = [
    { stage: 'fetch', startMs: 0, ms: 120 },
    { stage: 'render', startMs: 120, ms: 1400 },
  ];
  const credits = [
    { rule: 'page', credits: 1 },
    { rule: 'format summary', credits: 4 },
  ];
  expect(completed({ attempts: [fetched()], totalMs: 1520, stages, credits })).toBe(
    'A plain fetch got HTTP 200 in 120 ms; it took 1.5 s, most of that for deriving the formats; it cost 5 credits.',
  );
});

it('says why the next engine began, and how the site blocked', () => {
  const because = 'content that only scripts or frames bring';
  const attempts = [fetched(), fetched({ engine: 'browser', ms: 2300, because })];
  expect(completed({ attempts })).toBe(
    'A plain fetch got HTTP 200 in 120 ms, which was content that only scripts or frames bring, so the browser got HTTP 200 in 2.3 s.',
  );
  const blocked = [
    fetched({ result: 'HTTP 403', blockedBy: 'cloudflare' }),
    fetched({
      engine: 'http by enhanced proxy',
      because: 'HTTP 403',
      redirects: [{ url: 'x', by: 'HTTP 301' }],
    }),
  ];
  expect(completed({ attempts: blocked })).toBe(
    'A plain fetch got HTTP 403 with a challenge by cloudflare in 120 ms, so a plain fetch by an enhanced proxy got HTTP 200 after 1 redirect in 120 ms.',
  );
});

it('names the copy of the cache with its age', () => {
  const cache = { verdict: 'hit' as const, ageMs: 5 * 60_000 };
  expect(completed({ cache, attempts: [fetched({ engine: 'cache' })] })).toBe(
    'The page came from the cache, whose copy was 5 minutes old.',
  );
});

it('names long waits and calls of the language model', () => {
  const modelCalls = [{ feature: 'json', startMs: 0, ms: 1, tokens: 2, result: 'ok' }];
  const waits: PageTrace['waits'] = [
    { for: 'turn', ms: 3000 },
    { for: 'browser', ms: 20 },
  ];
  expect(completed({ attempts: [], waits, modelCalls })).toBe(
    'It waited 3.0 s for its turn; it took 1 call of the language model.',
  );
});

it('begins with the failure of a page that failed', () => {
  const attempts = [fetched({ ms: 30_000, result: 'no response so far' })];
  expect(summarizeTrace({ status: 'failed', error: { code: 'SCRAPE_TIMEOUT' }, trace: { attempts } })).toBe(
    'The page failed with SCRAPE_TIMEOUT; a plain fetch got no response so far in 30.0 s.',
  );
});

it('says that there is no record where there is none, or not yet', () => {
  const trace = { attempts: [] };
  expect(completed(trace)).toBe('There is no record of how the page went.');
  expect(summarizeTrace({ status: 'scraping', error: null, trace })).toBe('The page is not done yet.');
});
