import type { z } from 'zod';
import { FEEDBACK_DAILY_CAP } from '../credits.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { type Feedback, feedbackBody, feedbackResponse, searchFeedbackBody } from '../schemas/feedback.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import type { Database } from '../storage/db/client.ts';
import { addFeedback, findRatedJob, findRatedPage } from '../storage/db/feedback.ts';
import type { Caller } from '../storage/db/teams/teams.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';

const ERRORS_OF_JOB: ErrorCode[] = ['NOT_FOUND', 'JOB_RUNNING'];

const create = defineRoute({
  method: 'post',
  path: '/v2/feedback',
  tag: 'Feedback',
  summary: 'Say how useful the result of a search, scrape, parse or map was',
  body: feedbackBody,
  response: feedbackResponse,
  errors: ERRORS_OF_JOB,
  handler: ({ caller, body: { endpoint, jobId, ...content } }, deps) =>
    receive({ caller, endpoint, jobId, content }, deps),
});

const createForSearch = defineRoute({
  method: 'post',
  path: '/v2/search/:id/feedback',
  tag: 'Search',
  summary: 'Say how useful the results of a search were',
  params: jobIdParams,
  body: searchFeedbackBody,
  response: feedbackResponse,
  errors: ERRORS_OF_JOB,
  handler: ({ caller, params: { id }, body }, deps) =>
    receive({ caller, endpoint: 'search', jobId: id, content: body }, deps),
});

/** Feedback of either endpoint. */
interface ReceivedFeedback extends Pick<Feedback, 'endpoint' | 'jobId'> {
  caller: Caller;
  content: z.output<typeof searchFeedbackBody>;
}

/**
 * Stores feedback on a job of the caller.
 * @throws ServiceError `NOT_FOUND`, `JOB_RUNNING`
 */
async function receive({ caller, endpoint, jobId, content }: ReceivedFeedback, { db }: ApiDeps) {
  const job = await findSubject(jobId, db);
  if (job?.endpoint !== endpoint || job.team_id !== caller.teamId)
    throw new ServiceError(
      'NOT_FOUND',
      `Job not found. There is no ${endpoint} ${jobId}, or it has expired.`,
    );
  if (job.status === 'scraping')
    throw new ServiceError(
      'JOB_RUNNING',
      `The ${endpoint} ${jobId} has not ended yet. Send feedback after its end.`,
    );
  const { teamId } = caller;
  const { rating } = content;
  // The texts may be about a page of which nothing is to be kept.
  const kept = job.isEncrypted ? { rating } : content;
  const { jobId: ratedJobId, pageId } = job;
  const receipt = await addFeedback(db, {
    teamId,
    jobId: ratedJobId,
    pageId,
    endpoint,
    rating,
    content: kept,
  });
  return {
    success: true as const,
    feedbackId: receipt.id,
    creditsRefunded: receipt.refunded,
    ...(receipt.isRepeated && { alreadySubmitted: true }),
    ...(receipt.isCapped && { dailyCapReached: true }),
    ...(endpoint === 'search' && {
      creditsRefundedToday: receipt.refundedToday,
      dailyRefundCap: FEEDBACK_DAILY_CAP,
    }),
  };
}

/** Finds what feedback is about: a job, or a page of a batch or crawl, which is a scrape to the caller. */
async function findSubject(id: string, db: Database) {
  const job = await findRatedJob(db, id);
  if (job) {
    const endpoint = job.kind === 'scrape' && job.isParse ? 'parse' : job.kind;
    return { ...job, endpoint, jobId: id, pageId: null };
  }
  const page = await findRatedPage(db, id);
  return page && { ...page, endpoint: 'scrape', pageId: id };
}

/** The routes of feedback. */
export const feedbackRoutes = [create, createForSearch];
