import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished } from '../support/api/jobs.ts';
import type { BrokenRequest, CauseSite } from '../support/causes/broken-request.ts';
import { FAILED_SCRAPES } from '../support/causes/failures.ts';
import { BROKEN_JOBS } from '../support/causes/jobs.ts';
import { BROKEN_SCRAPES } from '../support/causes/scrapes.ts';
import { startCauseSite } from '../support/causes/site.ts';
import { BROKEN_BY_OTHERS } from '../support/causes/strangers.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { IS_FULL_RUN, sampleOf } from '../support/suite/corpus.ts';

const REQUESTS = [...BROKEN_SCRAPES, ...FAILED_SCRAPES, ...BROKEN_JOBS, ...BROKEN_BY_OTHERS];

/** How often support is right, and how sure it is, without a language model. */

const db = useDatabase();
let site: CauseSite;
let key: string;
beforeAll(async () => {
  [site, { key }] = await Promise.all([startCauseSite(), makeTeam(db)]);
});
afterAll(() => site[Symbol.asyncDispose]());

const outcomes: { name: string; isRight: boolean; confidence: string; answer: string }[] = [];

/** Lets a request go wrong. @returns the id of its job */
async function run({ path = '/v2/scrape', body: bodyOf, before, held }: BrokenRequest): Promise<string> {
  await before?.(site, key);
  if (held) site.held.add(held);
  const { body } = await call(path, { body: bodyOf(site), key });
  if (path !== '/v2/scrape') await finished(path, body.id, { key });
  if (held) site.held.delete(held);
  return body.data?.metadata.scrapeId ?? body.details?.scrapeId ?? body.id;
}

/** Whether support advises this. On a busy machine, a page may need `waitFor` to show what its scripts bring. */
function isFix(advised: Record<string, unknown> | null, fix: BrokenRequest['fix']): boolean {
  if (!advised || !fix) return advised === fix;
  const { waitFor, ...others } = advised;
  return [advised, others].some((each) => isDeepStrictEqual(each, fix));
}

describe('support', () => {
  it.concurrent.each(sampleOf(REQUESTS, 4))('$name', async (request) => {
    const jobId = await run(request);
    const { body } = await call('/v2/support/ask', { body: { question: request.question, jobId }, key });
    const { answer, confidence, fixParameters } = body;
    const { cause, wrong, fix, isUnknowable } = request;
    const hasCause = cause.every((pattern) => pattern.test(answer)) && !wrong?.test(answer);
    const hasFix = fix === undefined || isFix(fixParameters, fix);
    const isRight = isUnknowable ? confidence !== 'high' && fixParameters === null : hasCause && hasFix;
    outcomes.push({ name: request.name, isRight, confidence, answer });
    expect(answer).toEqual(expect.any(String));
  });
});

/**
 * A page may take longer than its timeout on a busy machine, and fail for that reason. In a sample of twenty,
 * that weighs five times as much as in all.
 */
const MAX_WRONG = IS_FULL_RUN ? 0.05 : 0.2;
const MAX_SURELY_WRONG = IS_FULL_RUN ? 0 : 0.05;

it('finds nearly all causes, and is not sure of a wrong one', () => {
  const wrong = outcomes.filter(({ isRight }) => !isRight);
  const surelyWrong = wrong.filter(({ confidence }) => confidence === 'high');
  expect(surelyWrong.length / outcomes.length, JSON.stringify(surelyWrong)).toBeLessThanOrEqual(
    MAX_SURELY_WRONG,
  );
  expect(wrong.length / outcomes.length, JSON.stringify(wrong)).toBeLessThanOrEqual(MAX_WRONG);
});
