import { TOKENS_PER_CREDIT } from '../credits.ts';
import type { Database } from '../db/client.ts';
import { listActivity } from '../db/jobs/jobs.ts';
import { countSlots } from '../db/teams/slots.ts';
import type { Caller } from '../db/teams/teams.ts';
import { listUsage, readQueue, type UsageInterval } from '../db/teams/usage.ts';
import * as schemas from '../schemas/team.ts';
import { pageOf, readCursor } from './pagination.ts';
import { defineRoute } from './route.ts';

/**
 * The credits that a team has left, and those that it was granted; `UNLIMITED` for a team without a limit.
 */
function balance({ creditsRemaining, creditsPlanned }: Caller) {
  return { remaining: creditsRemaining ?? schemas.UNLIMITED, planned: creditsPlanned ?? schemas.UNLIMITED };
}

/** The billing period is null, because credits are granted once and not by period. */
const noPeriod: { billingPeriodStart: string | null; billingPeriodEnd: string | null } = {
  billingPeriodStart: null,
  billingPeriodEnd: null,
};

const shared = { method: 'get', tag: 'Team', limited: false, errors: [] } as const;

/** Reads the used credits of a team by period, for the reports in credits and in tokens. */
async function history(
  db: Database,
  teamId: string,
  { byApiKey, timeRange: interval = 'month' }: { byApiKey: boolean; timeRange?: UsageInterval | undefined },
) {
  const periods = await listUsage(db, { teamId, byApiKey, interval });
  return periods.map(({ startDate, endDate, apiKey, credits }) => ({
    period: {
      startDate: startDate.toISOString(),
      endDate: endDate.toISOString(),
      ...(byApiKey && { apiKey: apiKey ?? '' }),
    },
    credits,
  }));
}

/** The routes that report on the caller's team. */
export const teamRoutes = [
  defineRoute({
    ...shared,
    path: '/v2/team/credit-usage',
    summary: 'Credits left',
    answer: schemas.creditUsage,
    async handler({ caller }) {
      const { remaining, planned } = balance(caller);
      return { success: true, data: { remainingCredits: remaining, planCredits: planned, ...noPeriod } };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/token-usage',
    summary: 'Tokens left',
    answer: schemas.tokenUsage,
    async handler({ caller }) {
      const { remaining, planned } = balance(caller);
      const data = {
        remainingTokens: remaining * TOKENS_PER_CREDIT,
        planTokens: planned * TOKENS_PER_CREDIT,
      };
      return { success: true, data: { ...data, ...noPeriod } };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/credit-usage/historical',
    summary: 'Credits used, by month, week or day',
    query: schemas.historicalQuery,
    answer: schemas.creditHistory,
    async handler({ caller, query }, { db }) {
      const periods = await history(db, caller.teamId, query);
      return {
        success: true,
        periods: periods.map(({ period, credits }) => ({
          ...period,
          totalCredits: credits,
          creditsUsed: credits,
        })),
      };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/token-usage/historical',
    summary: 'Tokens used, by month, week or day',
    query: schemas.historicalQuery,
    answer: schemas.tokenHistory,
    async handler({ caller, query }, { db }) {
      const periods = (await history(db, caller.teamId, query)).map(({ period, credits }) => {
        const tokens = credits * TOKENS_PER_CREDIT;
        return { ...period, totalTokens: tokens, tokensUsed: tokens };
      });
      return { success: true, periods };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/queue-status',
    summary: 'Open scrapes, maps and pages of the team',
    answer: schemas.queueStatus,
    async handler({ caller }, { db }) {
      const { open, active, mostRecentSuccess } = await readQueue(db, caller.teamId);
      return {
        success: true,
        jobsInQueue: open,
        activeJobsInQueue: Math.min(active, open),
        waitingJobsInQueue: Math.max(0, open - active),
        maxConcurrency: caller.concurrency,
        mostRecentSuccess: mostRecentSuccess?.toISOString() ?? null,
      };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/concurrency-check',
    summary: 'Slots of the team that are taken',
    answer: schemas.concurrency,
    async handler({ caller }, { db }) {
      const taken = await countSlots(db, caller.teamId);
      return { success: true, concurrency: taken, maxConcurrency: caller.concurrency };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/activity',
    summary: 'Requests of the last 24 hours, newest first',
    query: schemas.activityQuery,
    answer: schemas.activity,
    async handler({ caller, query }, { db }) {
      const { limit, endpoint: kind, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const rows = await listActivity(db, { teamId: caller.teamId, kind, limit: limit + 1, after });
      const toItem = (row: (typeof rows)[number]) => ({
        id: row.id,
        endpoint: row.kind,
        api_version: 'v2',
        created_at: row.created_at.toISOString(),
        target: row.target,
      });
      return { success: true, ...pageOf(rows, limit, toItem) };
    },
  }),
];
