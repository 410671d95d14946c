import { type Delivery, listDeliveries, redeliver } from '../db/webhooks.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { emptyBody } from '../schemas/page-job.ts';
import * as schemas from '../schemas/webhook.ts';
import { pageOf, readCursor } from './pagination.ts';
import { defineRoute } from './route.ts';

const shared = { tag: 'Webhooks', limited: false } as const;

const stateOf = (row: Delivery) => ({
  id: row.id,
  jobId: row.job_id,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  responseStatus: row.response_status,
  error: row.last_error,
  createdAt: row.created_at.toISOString(),
  lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
  nextAttemptAt: row.status === 'pending' ? row.due_at.toISOString() : null,
  deliveredAt: row.delivered_at?.toISOString() ?? null,
});

/** The routes that list the deliveries of job events to webhooks, and send an event again. */
export const webhookRoutes = [
  defineRoute({
    ...shared,
    method: 'get',
    path: '/v2/webhooks/deliveries',
    summary: 'Events sent to webhooks, newest first',
    query: schemas.deliveriesQuery,
    answer: schemas.deliveries,
    errors: [],
    async handler({ caller: { teamId }, query }, { db }) {
      const { limit, jobId, status, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const rows = await listDeliveries(db, { teamId, jobId, status, limit: limit + 1, after });
      return { success: true, ...pageOf(rows, limit, stateOf) };
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: '/v2/webhooks/deliveries/:id/redeliver',
    summary: 'Send an event again',
    params: jobIdParams,
    body: emptyBody,
    answer: schemas.redelivered,
    errors: ['NOT_FOUND'],
    async handler({ caller: { teamId }, params }, { db, temporal }) {
      const row = await redeliver(db, { id: params.id, teamId });
      await temporal.startDeliveries(row.job_id, teamId);
      return { success: true, data: stateOf(row) };
    },
  }),
];
