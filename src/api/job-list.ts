import type { JobKind } from '../job-kinds.ts';
import { jobListQuery, jobListResponse } from '../schemas/job-list.ts';
import { listJobs } from '../storage/db/jobs/list-jobs.ts';
import { decodeCursor, toPaginatedResponse } from './http/pagination.ts';
import { defineRoute } from './http/route.ts';

type ListedJob = Awaited<ReturnType<typeof listJobs>>[number];

const countPages = ({ known, completed, failed }: ListedJob) =>
  known === null ? null : { total: known, completed: completed ?? 0, failed: failed ?? 0 };

/** The route that lists the jobs of a team. */
export const jobListRoutes = [
  defineRoute({
    method: 'get',
    path: '/v2/jobs',
    tag: 'Team',
    summary: 'List the jobs of the team with their progress, newest first',
    query: jobListQuery,
    response: jobListResponse,
    rateLimited: false,
    errors: [],
    async handler({ caller, query }, { db }) {
      const { limit, cursor, since, until, ...filter } = query;
      const rows = await listJobs(db, {
        ...filter,
        teamId: caller.teamId,
        since: since === undefined ? undefined : new Date(since),
        until: until === undefined ? undefined : new Date(until),
        limit: limit + 1,
        after: cursor === undefined ? undefined : decodeCursor(cursor),
      });
      const toItem = (row: ListedJob) => ({
        id: row.id,
        kind: row.kind as JobKind,
        status: row.status,
        paused: row.status === 'scraping' && row.paused === true,
        target: row.target,
        apiKey: row.api_key,
        createdAt: row.created_at.toISOString(),
        finishedAt: row.finished_at?.toISOString() ?? null,
        creditsUsed: row.credits,
        pages: countPages(row),
        statusCode: row.status_code,
        error: row.error && { code: row.error.code, message: row.error.message },
      });
      return { success: true, ...toPaginatedResponse(rows, limit, toItem) };
    },
  }),
];
