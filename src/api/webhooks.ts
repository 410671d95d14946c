import { ServiceError } from '../errors.ts';
import { buildEventBody } from '../jobs/webhooks/event-request.ts';
import { jobIdParams } from '../schemas/job-id.ts';
import { emptyBody } from '../schemas/page-job.ts';
import * as schemas from '../schemas/webhook.ts';
import { findEvent } from '../storage/db/webhook-events.ts';
import {
  type Delivery,
  findDelivery,
  findWebhook,
  listDeliveries,
  redeliver,
} from '../storage/db/webhooks.ts';
import { decodeCursor, toPaginatedResponse } from './http/pagination.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';

const tag = 'Webhooks';

const toDeliveryResponse = (row: Delivery) => ({
  id: row.id,
  jobId: row.job_id,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  responseStatus: row.response_status,
  responseBody: row.response_body,
  error: row.last_error,
  createdAt: row.created_at.toISOString(),
  lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
  nextAttemptAt: row.status === 'pending' ? row.due_at.toISOString() : null,
  deliveredAt: row.delivered_at?.toISOString() ?? null,
});

/** Makes the body of an event again; `null` if its parts are gone, or nothing of them may be shown. */
async function readEvent(deps: ApiDeps, { id, job_id: jobId }: Delivery) {
  const { secretKey } = deps.config;
  const webhook = await findWebhook(deps.db, jobId, secretKey);
  const event = webhook && !webhook.cipher.encrypts && (await findEvent(deps.db, id));
  if (!event) return null;
  try {
    return await buildEventBody(event, { ...deps, jobId, webhook, secretKey });
  } catch (error) {
    // Its document has expired since.
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** The routes that list the deliveries of job events to webhooks, and send an event again. */
export const webhookRoutes = [
  defineRoute({
    tag,
    method: 'get',
    path: '/v2/webhooks/deliveries',
    summary: 'List the events that were sent to webhooks, newest first',
    query: schemas.deliveriesQuery,
    response: schemas.deliveriesResponse,
    errors: [],
    rateLimited: false,
    async handler({ caller: { teamId }, query }, { db }) {
      const { limit, jobId, status, cursor } = query;
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const rows = await listDeliveries(db, { teamId, jobId, status, limit: limit + 1, after });
      return { success: true, ...toPaginatedResponse(rows, limit, toDeliveryResponse) };
    },
  }),
  defineRoute({
    tag,
    method: 'get',
    path: '/v2/webhooks/deliveries/:id',
    summary: 'Get an event with the body that is sent, and what its receiver responded',
    params: jobIdParams,
    response: schemas.deliveryResponse,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller: { teamId }, params }, deps) {
      const row = await findDelivery(deps.db, { id: params.id, teamId });
      return { success: true, data: { ...toDeliveryResponse(row), event: await readEvent(deps, row) } };
    },
  }),
  defineRoute({
    tag,
    method: 'post',
    path: '/v2/webhooks/deliveries/:id/redeliver',
    summary: 'Send an event to its webhook again',
    params: jobIdParams,
    body: emptyBody,
    response: schemas.redeliverResponse,
    errors: ['NOT_FOUND'],
    rateBucket: 'jobChange',
    async handler({ caller: { teamId }, params }, { db, temporal }) {
      const row = await redeliver(db, { id: params.id, teamId });
      await temporal.startDeliveries(row.job_id, teamId);
      return { success: true, data: toDeliveryResponse(row) };
    },
  }),
];
