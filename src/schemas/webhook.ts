import { z } from 'zod';
import type { PageJobKind } from '../job-kinds.ts';
import { paginationQuery, paginationResponse } from './pagination.ts';
import { scrapeOptionFields } from './scrape-options.ts';

/** The events of a job, as the last part of their names: `page` stands for `crawl.page`. */
const EVENTS = ['started', 'page', 'completed', 'failed'];
/** The accepted ways to name an event: `page`, `.page`, or with the kind of job, `crawl.page`. */
const FILTER = new RegExp(`^(?:(?:crawl|batch_scrape)?\\.)?(?:${EVENTS.join('|')})$`);

const filter = z.string().regex(FILTER, {
  error: ({ input }) =>
    `${JSON.stringify(input)} is not a webhook event. The events are ${EVENTS.join(', ')}, or full names such as crawl.page`,
});

const target = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'the url of a webhook must be an http or https URL' }),
  headers: scrapeOptionFields.headers.unwrap().default({}).describe('headers that are sent with every event'),
  metadata: z.record(z.string(), z.unknown()).default({}).describe('values that are included in every event'),
  events: z
    .array(filter)
    .default(EVENTS)
    .describe('events to send, such as page or crawl.page; default: all'),
});

/** The webhook of a job after validation. */
export type WebhookTarget = z.output<typeof target>;

/** The `webhook` of a batch or crawl: an object, or only its URL as a string. */
export const webhook = z
  .preprocess((value) => (typeof value === 'string' ? { url: value } : value), target)
  .meta({
    description: 'Endpoint that receives the events of the job. A string X is short for {url: X}.',
    override: ({ jsonSchema }) => {
      const object = { ...jsonSchema };
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      jsonSchema.anyOf = [{ type: 'string', format: 'uri' }, object];
    },
  });

/** Keeps only the events of a webhook that apply to one kind of job, each as the last part of its name. */
export function narrowTarget(target: WebhookTarget, kind: PageJobKind): WebhookTarget {
  const events = EVENTS.filter((event) =>
    [event, `.${event}`, `${kind}.${event}`].some((name) => target.events.includes(name)),
  );
  return { ...target, events };
}

const timestamp = z.iso.datetime();

/** Query parameters of the list of deliveries. */
export const deliveriesQuery = z.object({
  jobId: z.uuid().optional().describe('list only deliveries of this job'),
  status: z.enum(['pending', 'delivered', 'failed']).optional(),
  ...paginationQuery,
});

const delivery = z
  .object({
    id: z.uuid().describe('the webhookId in the body of the event, the same in every attempt'),
    jobId: z.uuid(),
    type: z.string().describe('name of the event, such as crawl.page'),
    status: z.enum(['pending', 'delivered', 'failed']).describe('failed: no further attempt is made'),
    attempts: z.int(),
    responseStatus: z
      .int()
      .nullable()
      .describe('HTTP status of the last attempt; null if there was no response'),
    error: z.string().nullable().describe('reason why the last attempt failed'),
    createdAt: timestamp,
    lastAttemptAt: timestamp.nullable(),
    nextAttemptAt: timestamp.nullable().describe('null if no further attempt is planned'),
    deliveredAt: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

/** Response of `GET /v2/webhooks/deliveries`: the deliveries of the team, newest first. */
export const deliveriesResponse = z.object({
  success: z.literal(true),
  data: z.array(delivery),
  ...paginationResponse,
});

/** Response of `POST /v2/webhooks/deliveries/{id}/redeliver`. */
export const redeliverResponse = z.object({ success: z.literal(true), data: delivery });
