import { z } from 'zod';
import { document } from './document.ts';
import { CHECK_STATES, PAGE_STATES } from './monitor.ts';
import { monitorJudgment } from './monitor-judgment.ts';
import { checkWarning, monitorDiff, monitorSummary, pageFailures, pageRecovery } from './monitor-results.ts';
import { EVENTS_OF, type WebhookKind } from './webhook.ts';

const NOTHING = z.tuple([]);
const pages = z
  .array(z.union([document, z.object({ metadata: z.object({ sourceURL: z.string(), scrapeId: z.uuid() }) })]))
  .length(1)
  .describe('the document of the page; of a page that failed, only its URL and id');
const creditsUsed = z.int().describe('credits until now');

/** The schema of `data` of the events whose `data` is not empty. */
const DATA: Record<string, z.ZodType> = {
  'crawl.page': pages,
  'batch_scrape.page': pages,
  'extract.completed': z
    .array(
      z.object({
        success: z.literal(true),
        data: z.unknown(),
        extractId: z.uuid(),
        llmUsage: z.int(),
        totalUrlsScraped: z.int(),
        sources: z.record(z.string(), z.array(z.string())),
      }),
    )
    .length(1),
  'agent.action': z
    .array(z.object({ creditsUsed, action: z.string().describe('the tool'), input: z.unknown() }))
    .length(1),
  'agent.completed': z.array(z.object({ creditsUsed, data: z.unknown() })).length(1),
  'agent.failed': z.array(z.object({ creditsUsed })),
  'monitor.page': z
    .array(
      z.object({
        monitorId: z.uuid(),
        checkId: z.uuid(),
        targetId: z.string(),
        url: z.string(),
        status: z.enum(PAGE_STATES),
        previousScrapeId: z.uuid().nullable(),
        currentScrapeId: z.uuid().nullable(),
        error: z.string().nullable(),
        failures: pageFailures,
        isRecovered: pageRecovery,
        isMeaningful: z
          .boolean()
          .nullable()
          .describe('whether the change matters for the goal; null where it was not judged'),
        judgment: monitorJudgment.nullable(),
        diff: monitorDiff.nullable(),
      }),
    )
    .length(1),
  'monitor.check.completed': z
    .array(
      z.object({
        monitorId: z.uuid(),
        checkId: z.uuid(),
        status: z.enum(CHECK_STATES),
        summary: monitorSummary,
        error: z.string().nullable(),
        warning: checkWarning,
      }),
    )
    .length(1),
  'agent.cancelled': z.array(z.object({ creditsUsed })).length(1),
};

/** The name of an event, with what it announces. */
export interface WebhookEvent {
  type: string;
  summary: string;
  body: z.ZodType;
}

const SUMMARIES: Record<string, string> = {
  started: 'The job has started',
  page: 'A page of the job is finished, or has failed',
  action: 'The agent uses a tool',
  completed: 'The job is finished',
  failed: 'The job has failed',
  'check.completed': 'A check of a monitor has ended, or was skipped',
  cancelled: 'The job was cancelled',
};

const bodyOf = (type: string) =>
  z.object({
    success: z.boolean().describe('false for a job or page that failed or was cancelled'),
    type: z.literal(type),
    id: z.uuid().describe('the job'),
    webhookId: z.uuid().describe('the event, which has the same id in every attempt'),
    data: DATA[type] ?? NOTHING,
    error: z.string().optional().describe('why the job or page failed'),
    metadata: z.record(z.string(), z.unknown()).optional().describe('the `metadata` of the webhook'),
  });

/** Every event that webhooks send, with the schema of its body. */
export const WEBHOOK_EVENTS: WebhookEvent[] =
  // The keys of an object literal are those of its type.
  (Object.keys(EVENTS_OF) as WebhookKind[]).flatMap((kind) =>
    EVENTS_OF[kind].map((event) => {
      const type = `${kind}.${event}`;
      return { type, summary: SUMMARIES[event] ?? event, body: bodyOf(type) };
    }),
  );
