import { v7 as uuidv7 } from 'uuid';
import type { ReviewRequest } from '../../activities/reviews.ts';
import { ServiceError } from '../../errors.ts';
import { insertJob } from '../../storage/db/jobs/jobs.ts';
import { failJob } from '../../storage/db/jobs/take-credits.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { rejectWhenAborted } from '../deliver-result.ts';
import { reserveCredits } from '../http/required-credits.ts';
import type { ApiDeps } from '../http/route.ts';

/** How long a request waits, in milliseconds. */
const WAIT_MS = 65_000;

/**
 * Has a worker look into what checks have found, because the API neither reaches a model nor compares pages, and waits
 * for the result.
 * @throws ServiceError the error that the worker failed with; `MODEL_UNAVAILABLE` if it takes too long
 */
export async function runReview<Result>(
  {
    caller,
    request,
    price: reserved,
    signal,
  }: { caller: Caller; request: ReviewRequest; price: number; signal: AbortSignal },
  { config, db, results, temporal, storage, closing }: ApiDeps,
): Promise<Result> {
  await storage.requireSpace();
  const jobId = uuidv7();
  const { teamId, apiKeyId } = caller;
  const job = { id: jobId, teamId, apiKeyId, kind: 'review', target: null, request, reserved } as const;
  await db.query.transaction().execute(async (query) => {
    await insertJob({ query }, { ...job, ttlMs: config.resultTtlMs });
    await reserveCredits(query, caller, { jobId, minimum: reserved });
  });
  const workflow = await temporal.startReview({ jobId, teamId }).catch(async (error: ServiceError) => {
    await failJob(db, { jobId, credits: 0, error });
    throw error;
  });
  const blob = await Promise.race([
    workflow.wait(WAIT_MS),
    rejectWhenAborted(signal, closing, 'Ask again when the service is back.'),
  ]);
  if (blob === undefined)
    throw new ServiceError(
      'MODEL_UNAVAILABLE',
      `There is no answer after ${WAIT_MS / 1_000} seconds. Ask again later.`,
    );
  // `reviewMonitor` stored the result in this shape.
  return JSON.parse((await results.get(blob)).toString()) as Result;
}
