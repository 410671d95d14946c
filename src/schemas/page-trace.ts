import { z } from 'zod';

/** The stages of a page, in their order. */
const STAGES = [
  'queue',
  'robots',
  'cache',
  'fetch',
  'document',
  'render',
  'models',
  'formats',
  'store',
] as const;
/** What a page may wait for. */
const WAITS = ['slot', 'turn', 'host', 'robots', 'browser', 'parser'] as const;

const ms = z.int().min(0);
const startMs = ms.describe('milliseconds after the page was begun with');

const redirect = z.object({
  url: z.string().describe('the URL that led elsewhere'),
  by: z.string().describe('such as HTTP 301, meta refresh or navigation of the page'),
});

const engineAttempt = z.object({
  engine: z.string().describe('http (a plain fetch), browser or cache; by which proxies unless basic ones'),
  startMs,
  ms: ms.describe('how long it took, or until another attempt was taken'),
  result: z.string().describe('such as HTTP 200, an error code, or that there was no response so far'),
  because: z.string().optional().describe('why it was made although there was another one before it'),
  blockedBy: z
    .string()
    .optional()
    .describe('what kept the page from us: the maker of a challenge, or a status'),
  redirects: z.array(redirect).optional().describe('the redirects that it followed, at most 10'),
  url: z.string().optional().describe('the URL that responded, if it is another one than requested'),
  bytes: z.int().optional().describe('size of the page or file as it was read'),
});

/** How a page went: one record, which is made where things happen and stored with the result. */
export const pageTrace = z.object({
  traceId: z
    .string()
    .optional()
    .describe(
      'id of the trace of its request, at the collector of the operator and in log lines; absent without one',
    ),
  tries: z.int().optional().describe('which try of the page this is; absent for the first one'),
  totalMs: ms.optional().describe('milliseconds from the beginning until the result was stored'),
  cache: z
    .object({
      verdict: z.enum(['hit', 'miss', 'skipped']),
      ageMs: ms.optional().describe('age of the copy'),
      because: z.string().optional().describe('why there was no copy, or none was looked for'),
    })
    .optional()
    .describe('what the cache said; absent for a file, and where nothing came so far'),
  stages: z
    .array(z.object({ stage: z.enum(STAGES), startMs, ms }))
    .optional()
    .describe('the stages of the page, one after the other'),
  waits: z
    .array(z.object({ for: z.enum(WAITS), ms }))
    .optional()
    .describe(
      'what the page waited for: a slot of the team; its turn among the pages of its job, team and host; the delay of its host; robots.txt; a browser; a parser of documents',
    ),
  attempts: z.array(engineAttempt).describe('the engines that were tried, in order'),
  modelCalls: z
    .array(
      z.object({
        feature: z.string().describe('what the language model was asked for'),
        startMs,
        ms,
        tokens: z.int().describe('tokens of the prompt and the response'),
        result: z.string().describe('ok, or why the response could not be used'),
      }),
    )
    .optional()
    .describe('the calls of the language model, at most 30'),
  statusCode: z
    .int()
    .optional()
    .describe(
      'HTTP status of the page that was returned, which may be that of an earlier attempt; absent for a file',
    ),
  documentBytes: z.int().optional().describe('size of the document'),
  credits: z
    .array(z.object({ rule: z.string(), credits: z.int() }))
    .optional()
    .describe('the credits of the page, rule by rule'),
});

/** See {@link pageTrace}. */
export type PageTrace = z.output<typeof pageTrace>;
export type EngineAttempt = z.output<typeof engineAttempt>;
export type Redirect = z.output<typeof redirect>;
export type Stage = (typeof STAGES)[number];
export type WaitReason = (typeof WAITS)[number];

/** A trace as it is stored. Those of earlier versions are lists of attempts, without their beginnings. */
export type StoredTrace = PageTrace | Omit<EngineAttempt, 'startMs'>[];

/** Reads a stored trace, which may be one of an earlier version; without one, nothing was tried. */
export function readTrace(stored: StoredTrace | null): PageTrace {
  if (stored === null) return { attempts: [] };
  if (!Array.isArray(stored)) return stored;
  return { attempts: stored.map((attempt) => ({ startMs: 0, ...attempt })) };
}
