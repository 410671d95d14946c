import { TOKENS_PER_CREDIT } from '../credits.ts';
import * as schemas from '../schemas/team.ts';
import type { Database } from '../storage/db/client.ts';
import { listActivity } from '../storage/db/jobs/list-jobs.ts';
import { listModelDays } from '../storage/db/teams/model-calls.ts';
import { listModelUsage } from '../storage/db/teams/model-usage.ts';
import { listPageCounts } from '../storage/db/teams/page-usage.ts';
import { countSlots } from '../storage/db/teams/slots.ts';
import { type Caller, listKeyUses } from '../storage/db/teams/teams.ts';
import { listUsage, readQueue, type UsageInterval } from '../storage/db/teams/usage-reports.ts';
import { readUsedLimits } from '../storage/db/teams/used-limits.ts';
import { decodeCursor, toPaginatedResponse } from './http/pagination.ts';
import { requestCountKey } from './http/rate-limit.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';

/**
 * Returns the credits that a team has left, and those that it was granted; `UNLIMITED_CREDITS` for a team
 * without a limit.
 */
function creditBalance({ creditsRemaining, creditsPlanned }: Caller) {
  return {
    remaining: creditsRemaining ?? schemas.UNLIMITED_CREDITS,
    planned: creditsPlanned ?? schemas.UNLIMITED_CREDITS,
  };
}

/** The billing period is null, because credits are granted once and not by period. */
const noPeriod: { billingPeriodStart: string | null; billingPeriodEnd: string | null } = {
  billingPeriodStart: null,
  billingPeriodEnd: null,
};

const shared = { method: 'get', tag: 'Team', rateLimited: false, errors: [] } as const;

/** Reads the used credits of a team by period, for the reports in credits and in tokens. */
async function readUsage(
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

/** Lists the keys of a team as responses have them, without the keys themselves. */
export async function describeKeys(db: Database, teamId: string) {
  const keys = await listKeyUses(db, teamId);
  return keys.map(({ name, hint, created_at, last_used_at, revoked_at }) => ({
    name,
    hint,
    createdAt: created_at.toISOString(),
    lastUsedAt: last_used_at?.toISOString() ?? null,
    revokedAt: revoked_at?.toISOString() ?? null,
  }));
}

/** Describes the limits of a team, and what is used of each. */
async function describeLimits(caller: Caller, { db, config, storedResults }: ApiDeps) {
  const { teamId, creditsPlanned, creditsRemaining } = caller;
  const [used, megabytes] = await Promise.all([
    readUsedLimits(db, { teamId, rateKey: requestCountKey(teamId) }),
    storedResults.megabytesOf(teamId),
  ]);
  return {
    requestsPerMinute: { limit: caller.rateLimitPerMinute, used: used.requestsPerMinute },
    concurrency: { limit: caller.concurrency, used: used.concurrency },
    sessions: { limit: used.sessionLimit, used: used.sessions },
    openJobs: { limit: caller.openJobs, used: used.openJobs },
    monitors: { limit: caller.monitors ?? config.maxMonitors, used: used.monitors },
    storedMegabytes: { limit: caller.storedMegabytes, used: megabytes },
    credits: { limit: creditsPlanned, used: (creditsPlanned ?? 0) - (creditsRemaining ?? 0) },
    modelTokensPerDay: { limit: used.modelTokenLimit, used: used.modelTokens },
  };
}

/** The routes that report on the caller's team. */
export const teamRoutes = [
  defineRoute({
    ...shared,
    path: '/v2/team/credit-usage',
    summary: 'Get the remaining credits of the team',
    response: schemas.creditUsageResponse,
    async handler({ caller }) {
      const { remaining, planned } = creditBalance(caller);
      return { success: true, data: { remainingCredits: remaining, planCredits: planned, ...noPeriod } };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/token-usage',
    summary: 'Get the remaining tokens of the team',
    response: schemas.tokenUsageResponse,
    async handler({ caller }) {
      const { remaining, planned } = creditBalance(caller);
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
    summary: 'List the used credits by month, week or day',
    query: schemas.historicalQuery,
    response: schemas.creditHistoryResponse,
    async handler({ caller, query }, { db }) {
      const periods = await readUsage(db, caller.teamId, query);
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
    summary: 'List the used tokens by month, week or day',
    query: schemas.historicalQuery,
    response: schemas.tokenHistoryResponse,
    async handler({ caller, query }, { db }) {
      const periods = (await readUsage(db, caller.teamId, query)).map(({ period, credits }) => {
        const tokens = credits * TOKENS_PER_CREDIT;
        return { ...period, totalTokens: tokens, tokensUsed: tokens };
      });
      return { success: true, periods };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/queue-status',
    summary: 'Count the unfinished scrapes, maps and pages of the team',
    response: schemas.queueStatusResponse,
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
    summary: 'Count the used slots of the team',
    response: schemas.concurrencyResponse,
    async handler({ caller }, { db }) {
      const used = await countSlots(db, caller.teamId);
      return { success: true, concurrency: used, maxConcurrency: caller.concurrency };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/model-usage',
    summary:
      'Get the tokens of language models that the team has used by day, hour or API key, and its limit',
    query: schemas.modelUsageQuery,
    response: schemas.modelUsageResponse,
    async handler({ caller: { teamId }, query: { timeRange, byApiKey } }, { db }) {
      const days = await listModelDays(db, teamId);
      if (timeRange === undefined && !byApiKey) return { success: true, data: days };
      const usage = await listModelUsage(db, { teamId, period: timeRange ?? 'day', byApiKey });
      const periods = usage.map(({ startDate, apiKey, tokens, calls }) => ({
        startDate: startDate.toISOString(),
        ...(byApiKey && { apiKey: apiKey ?? '' }),
        tokens,
        calls,
      }));
      return { success: true, data: { ...days, periods } };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/page-usage',
    summary: 'Count the pages of the team by day, engine and outcome',
    response: schemas.pageUsageResponse,
    async handler({ caller }, { db }) {
      const counts = await listPageCounts(db, caller.teamId);
      return { success: true, data: counts.map(({ day: date, ...count }) => ({ date, ...count })) };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/limits',
    summary: 'List the limits of the team with what is used of each',
    response: schemas.limitsResponse,
    async handler({ caller }, deps) {
      return { success: true as const, data: await describeLimits(caller, deps) };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/keys',
    summary: 'List the API keys of the team, without the keys themselves',
    response: schemas.keysResponse,
    async handler({ caller }, { db }) {
      return { success: true, data: await describeKeys(db, caller.teamId) };
    },
  }),
  defineRoute({
    ...shared,
    path: '/v2/team/activity',
    summary: 'List the requests of the last 24 hours, newest first',
    query: schemas.activityQuery,
    response: schemas.activityResponse,
    async handler({ caller, query }, { db }) {
      const { limit, endpoint: kind, cursor } = query;
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const rows = await listActivity(db, { teamId: caller.teamId, kind, limit: limit + 1, after });
      const toItem = (row: (typeof rows)[number]) => ({
        id: row.id,
        endpoint: row.kind,
        api_version: 'v2',
        created_at: row.created_at.toISOString(),
        target: row.target,
      });
      return { success: true, ...toPaginatedResponse(rows, limit, toItem) };
    },
  }),
];
