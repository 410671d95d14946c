import { z } from 'zod';
import { quote } from '../errors.ts';
import type { AgentKind, CheckKind, PageJobKind } from '../job-kinds.ts';
import { bounded } from '../json/bounded.ts';
import { withKeywords, withShorthand } from '../json/schema-keywords.ts';
import { paginationQuery, paginationResponse } from './pagination.ts';
import { scrapeOptionFields } from './scrape-options.ts';

/** Maximum size of the `metadata` as JSON. Each event of a job has a copy. */
const MAX_METADATA_BYTES = 16 * 1024;
/** The most names in it. */
const MAX_METADATA_ENTRIES = 100;

/** The events of each kind of job, as the last part of their names: `page` stands for `crawl.page`. */
export const EVENTS_OF = {
  crawl: ['started', 'page', 'completed', 'failed'],
  batch_scrape: ['started', 'page', 'completed', 'failed'],
  extract: ['started', 'completed', 'failed'],
  agent: ['started', 'action', 'completed', 'failed', 'cancelled'],
  monitor: ['page', 'check.completed'],
} satisfies Record<PageJobKind | AgentKind | CheckKind, string[]>;
export type WebhookKind = keyof typeof EVENTS_OF;
/** The most names of events, each of which has several. */
const MAX_EVENTS = 50;
/** What stands for all events elsewhere. */
const ALL = /^((\w+\.)?\*|all|any)$/i;

/** An event of some kinds of jobs. It can be named in several ways: `page`, `.page`, or `crawl.page`. */
function eventOf(kinds: readonly WebhookKind[]) {
  const events = eventsOf(kinds);
  const pattern = new RegExp(
    `^(?:(?:${kinds.join('|')})?\\.)?(?:${events.join('|').replaceAll('.', '\\.')})$`,
  );
  return z.string().regex(pattern, {
    error: ({ input }) =>
      `${quote(String(input))} is not a webhook event. The events are ${events.join(', ')}, or full names such as ${kinds[0]}.${events[1]}${ALL.test(String(input)) ? '. Leave events out to get all' : ''}`,
  });
}

const eventsOf = (kinds: readonly WebhookKind[]) => [...new Set(kinds.flatMap((kind) => EVENTS_OF[kind]))];

const targetOf = (kinds: readonly WebhookKind[]) =>
  z.strictObject({
    url: withKeywords(
      z.url({
        protocol: /^https?$/,
        error: 'must be an http or https URL, such as https://example.com/hook',
      }),
      { pattern: '^https?:' },
    ),
    headers: scrapeOptionFields.headers
      .unwrap()
      .default({})
      .describe('headers that are sent with every event'),
    metadata: bounded(z.record(z.string(), z.unknown()), { entries: MAX_METADATA_ENTRIES })
      .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES, {
        error: 'the metadata of a webhook must be at most 16 KiB of JSON',
      })
      .default({})
      .describe('values that are included in every event, at most 16 KiB of JSON'),
    events: bounded(z.array(eventOf(kinds)), { entries: MAX_EVENTS })
      .default(eventsOf(kinds))
      .describe(
        `events to send, such as ${eventsOf(kinds)[1]} or ${kinds[0]}.${eventsOf(kinds)[1]}; default: all`,
      ),
  });

/** The webhook of a job after validation. */
export type WebhookTarget = z.output<ReturnType<typeof targetOf>>;

/** The `webhook` of jobs of some kinds: an object, or only its URL as a string. */
export const webhookOf = (...kinds: WebhookKind[]) =>
  withShorthand(
    z
      .preprocess((value) => (typeof value === 'string' ? { url: value } : value), targetOf(kinds))
      .describe('Endpoint that receives the events of the job. A string X is short for {url: X}.'),
    { format: 'uri', pattern: '^https?:' },
  );

/** The `webhook` of a batch or crawl. */
export const webhook = webhookOf('crawl', 'batch_scrape');

/** Keeps only the events of a webhook that apply to one kind of job, each as the last part of its name. */
export function narrowTarget(target: WebhookTarget, kind: WebhookKind): WebhookTarget {
  const events = EVENTS_OF[kind].filter((event) =>
    [event, `.${event}`, `${kind}.${event}`].some((name) => target.events.includes(name)),
  );
  return { ...target, events };
}

const timestamp = z.iso.datetime();

/** Query parameters of the list of deliveries. */
export const deliveriesQuery = z.strictObject({
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
    responseBody: z
      .string()
      .nullable()
      .describe(
        'the first KiB of the body of that response as text; null if there was no response, and with zero data retention',
      ),
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

/** Response of `GET /v2/webhooks/deliveries/{id}`: a delivery with its event. */
export const deliveryResponse = z.object({
  success: z.literal(true),
  data: delivery.extend({
    event: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'the body of the event as the next attempt would send it, with new signatures of file URLs; null if its document has expired, and with zero data retention',
      ),
  }),
});

/** Response of `POST /v2/webhooks/deliveries/{id}/redeliver`. */
export const redeliverResponse = z.object({ success: z.literal(true), data: delivery });
