import { z } from 'zod';
import { jsonSchema, promptText } from '../content/extraction/data-request.ts';
import { bounded } from '../json/bounded.ts';
import { fieldsOf } from '../json/json-object.ts';
import { withKeywords, withOnlyKeywords } from '../json/schema-keywords.ts';
import { runFields, runStatus } from './agent-run.ts';
import { jobIdParams } from './job-id.ts';
import { callerFields, scrapeOptionFields } from './scrape-options.ts';
import { describeUnavailable, refuseUnavailable, requestsThreatProtection } from './unavailable-options.ts';
import { webhookOf } from './webhook.ts';

/** Models that clients may name. The operator's model works in place of each of them. */
const MODELS = ['spark-1-mini', 'spark-1-pro', 'spark-2'] as const;
const DEFAULT_MODEL = 'spark-2';
/** How thoroughly an agent works; it bounds the number of its turns. */
const EFFORTS = ['low', 'medium', 'high'] as const;
const MAX_URLS = 50;

/** Body of `POST /v2/agent`. */
export const agentBody = z
  .strictObject({
    prompt: promptText.describe('the task: which data to find, and how the result is to look'),
    urls: bounded(z.array(z.string()), { entries: MAX_URLS })
      .default([])
      .describe('where to look. Other hosts are opened only if the prompt names them or a search finds them'),
    schema: jsonSchema.optional().describe('JSON Schema of the result, draft 7 or 2020-12'),
    maxCredits: z
      .int()
      .min(5, 'maxCredits must be at least 5: 4 for the result and 1 for a page')
      .max(100_000)
      .default(2_500)
      .describe('credits that the agent may cost at most'),
    strictConstrainToURLs: z.boolean().default(false).describe('open nothing but the given urls'),
    model: z
      .enum(MODELS)
      .default(DEFAULT_MODEL)
      .describe('accepted for compatibility; the model of the operator does the work'),
    effort: z
      .enum(EFFORTS)
      .default('medium')
      .describe('how thorough the agent is: low, medium and high let it think 6, 12 and 25 times'),
    webhook: webhookOf('agent').optional(),
    mode: withKeywords(z.enum(['extract', 'chat']), { enum: ['extract'] })
      .default('extract')
      .describe('chat needs threads, which are disabled: it is refused with `threads_disabled`'),
    threadId: withOnlyKeywords(z.string().optional(), {
      description: 'threads are disabled: any value is refused with `threads_disabled`',
      not: {},
    }),
    exchange: describeUnavailable('exchange', z.record(z.string(), z.unknown()).optional(), {
      type: 'object',
      properties: { enabled: { const: false } },
      required: ['enabled'],
    }),
    threatProtection: scrapeOptionFields.threatProtection,
    auditMetadata: scrapeOptionFields.auditMetadata,
    ...callerFields,
  })
  .refine(({ strictConstrainToURLs, urls }) => !strictConstrainToURLs || urls.length > 0, {
    path: ['strictConstrainToURLs'],
    error: 'strictConstrainToURLs needs urls',
  })
  .superRefine(({ exchange, threatProtection }, context) =>
    refuseUnavailable(
      {
        exchange: exchange !== undefined && fieldsOf(exchange).enabled !== false,
        threatProtection: requestsThreatProtection(threatProtection),
      },
      context,
    ),
  );

/** The body of an agent request after validation, with defaults filled in. */
export type AgentRequest = z.output<typeof agentBody>;

/** Response of `POST /v2/agent`. */
export const startAgentResponse = z.object({ success: z.literal(true), id: z.uuid() });

/** Response of `DELETE /v2/agent/{id}`. */
export const cancelAgentResponse = z.object({ success: z.literal(true) });

/** Query of `GET /v2/agent/{id}/trace`. */
export const traceQuery = z.strictObject({
  liveView: z.stringbool().optional().describe('accepted for compatibility; agents open no browser sessions'),
});

/** Query of `GET /v2/agent/threads/{id}`. */
export const threadQuery = z.strictObject({
  includeData: z.stringbool().optional().describe('accepted for compatibility'),
});

/** Query of `GET /v2/agent`. */
export const agentsQuery = z.strictObject({
  before: z.coerce
    .number()
    .int()
    .min(0)
    .max(8_640_000_000_000_000)
    .optional()
    .describe('list only agents that were started before this time, in ms since 1970'),
});

/** Response of `GET /v2/agent`: the agents of the team whose results have not expired, newest first. */
export const agentsResponse = z.object({
  success: z.literal(true),
  agents: z.array(
    z.object({
      id: z.uuid(),
      createdAt: z.iso.datetime(),
      targetHint: z.string().describe('the first URL, or the beginning of the prompt'),
      origin: z.string(),
      integration: z.string().nullish(),
      settings: z.object({ hidden: z.boolean(), starred: z.boolean() }),
      status: runStatus.exclude(['cancelled']).describe('one that was cancelled is listed as `failed`'),
      options: z.looseObject({ prompt: z.string() }),
    }),
  ),
  next: z.string().optional().describe('URL of the next part; absent at the end'),
});

/** Response of `GET /v2/agent/{id}/trace`: what the agent did, in order. */
export const agentTraceResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  events: z.array(
    z.looseObject({
      schemaVersion: z.literal(1),
      eventId: z.string(),
      runId: z.uuid(),
      occurredAt: z.iso.datetime(),
      producerSequence: z.int(),
      agent: z.object({ id: z.string(), role: z.string(), name: z.string() }),
      type: z.enum([
        'run.started',
        'reasoning.summary',
        'artifact.updated',
        'tool_call.started',
        'tool_call.finished',
        'run.finished',
      ]),
    }),
  ),
  creditsUsed: z.int(),
});

/** Path parameters of `GET /v2/agent/{id}/snapshots/{snapshotId}`. */
export const snapshotParams = z.strictObject({
  ...jobIdParams.shape,
  snapshotId: z.string().describe('as the event `artifact.updated` of the trace names it'),
});

/** Response of `GET /v2/agent/{id}/snapshots/{snapshotId}`. */
export const agentSnapshotResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  snapshotId: z.string(),
  snapshot: z.string().describe('the content: the data of the result as JSON'),
});

/** Response of `GET /v2/agent/{id}`. */
export const agentStatusResponse = z.object({
  ...runFields,
  model: z.string(),
  effort: z.enum(EFFORTS),
  mode: z.literal('extract'),
  sources: z.array(z.string()).optional().describe('URLs of the pages that the data is from'),
});
