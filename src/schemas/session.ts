import { z } from 'zod';
import { exactlyOne, withKeywords } from '../json/schema-keywords.ts';
import { profileName } from './profile.ts';
import { callerFields } from './scrape-options.ts';
import { SESSION_END_SENTENCES, type SessionEndReason } from './session-end.ts';
import { sessionVisitorFields } from './visitor.ts';

/** Limits of the times of a session, in seconds. */
const TTL = { min: 30, max: 3600, fallback: 600 };
const ACTIVITY_TTL = { min: 10, max: 3600, fallback: 300 };
/** Maximum length of code and of prompts, in characters. */
const MAX_CODE = 100_000;
const MAX_PROMPT = 10_000;

/** The languages in which code can drive the browser of a session. */
export const LANGUAGES = ['node', 'python', 'bash'] as const;
export type Language = (typeof LANGUAGES)[number];

const seconds = ({ min, max, fallback }: typeof TTL, description: string) =>
  z.int().min(min).max(max).default(fallback).describe(`${description}, in seconds`);

/** Body of `POST /v2/browser`. */
export const sessionBody = z.strictObject({
  ttl: seconds(TTL, 'lifetime of the session, which activity does not extend'),
  activityTtl: seconds(ACTIVITY_TTL, 'time without activity after which the session ends'),
  streamWebView: z.boolean().default(true).describe('whether the session can be watched'),
  recordSession: z
    .boolean()
    .optional()
    .describe(
      'record the session for `GET /v2/browser/{id}/replay`, which costs processor time while its pages change; by default as the operator has set, which is false unless changed',
    ),
  profile: z
    .strictObject({
      name: profileName,
      saveChanges: z
        .boolean()
        .default(true)
        .describe('save cookies and storage to the profile; only one session at a time can'),
    })
    .optional()
    .describe('cookies and storage that sessions and scrapes of the same name share'),
  ...sessionVisitorFields,
  blockAds: z
    .boolean()
    .default(false)
    .describe('do not request advertisements and trackers, if this service has filter lists'),
  ...callerFields,
});
export type SessionRequest = z.output<typeof sessionBody>;

/** The visitor that sites see in a session. */
export type SessionVisitor = Pick<SessionRequest, 'location' | 'mobile' | 'blockAds'>;

/** The visitor of a session without options, which is the one of scrapes without options. */
export const DEFAULT_VISITOR: SessionVisitor = { mobile: false, blockAds: false };

const urls = {
  cdpUrl: z
    .string()
    .describe('WebSocket URL for Playwright, Puppeteer and other clients of the DevTools protocol'),
  liveViewUrl: z.string().optional().describe('page on which the session can be watched'),
  interactiveLiveViewUrl: z
    .string()
    .optional()
    .describe('page on which viewers can also click, type and scroll'),
};

const warning = z
  .string()
  .optional()
  .describe('that sites see the session from another country, if there is no proxy in that of `location`');

/** Response of `POST /v2/browser`. */
export const sessionResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  ...urls,
  expiresAt: z.iso.datetime().describe('end of the lifetime'),
  warning,
});

/** Query parameters of the list of sessions. */
export const sessionsQuery = z.strictObject({
  status: z
    .enum(['active', 'destroyed', 'error'])
    .optional()
    .describe('only sessions in this state; `error`: only those that failed, crashed or were lost'),
});

const sessionItem = z.object({
  id: z.uuid(),
  status: z.enum(['active', 'destroyed']),
  ...urls,
  liveViewUrl: z.string().describe('page on which the session can be watched; empty if it cannot'),
  streamWebView: z.boolean(),
  recordSession: z.boolean().describe('whether the session is recorded'),
  createdAt: z.iso.datetime(),
  lastActivity: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  warning,
  endReason: z
    .enum(Object.keys(SESSION_END_SENTENCES) as [SessionEndReason])
    .optional()
    .describe('why the session ended'),
  sessionDurationMs: z.int().optional().describe('duration of a session that has ended'),
  creditsBilled: z.int().optional().describe('price of a session that has ended'),
});

/** Response of `GET /v2/browser`. */
export const sessionsResponse = z.object({ success: z.literal(true), sessions: z.array(sessionItem) });

/** Response of `GET /v2/browser/{id}`. */
export const sessionStatusResponse = sessionItem.extend({ success: z.literal(true) });

/** Body of `POST /v2/browser/{id}/extend`. */
export const extendBody = z.strictObject({
  ttl: z
    .int()
    .min(TTL.min)
    .max(TTL.max)
    .default(TTL.max)
    .describe('new lifetime of the session, from its start, in seconds; a shorter one changes nothing'),
  ...callerFields,
});

/** Response of `POST /v2/browser/{id}/extend`. */
export const extendResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  expiresAt: z.iso.datetime().describe('end of the lifetime'),
});

/** Response of `DELETE /v2/browser/{id}`. */
export const sessionEndResponse = z.object({
  success: z.literal(true),
  sessionDurationMs: z.int(),
  creditsBilled: z.int(),
  cleanupQueued: z.literal(false).describe('the browser has ended when the response is sent'),
});

/** Response of `GET /v2/browser/{id}/downloads`. */
export const downloadsResponse = z.object({
  success: z.literal(true),
  files: z.array(
    z.object({
      name: z.string().describe('its bytes are at /v2/browser/{id}/downloads/{name}'),
      size: z.int().describe('in bytes'),
      modifiedAt: z.iso.datetime(),
    }),
  ),
  canceled: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .describe(
      'downloads of the browser and files of code that were not kept, because they exceed what a session may store',
    ),
});

/** Options of `POST /v2/browser/{id}/files`, whose file is a part of a multipart body. */
export const fileUploadOptions = z.strictObject(callerFields);

/** The message for a request without a file. */
export const FILE_MISSING = 'The file is missing: send multipart/form-data with the file in the part `file`';

/** A body of the same without a file, which is refused. */
export const fileUploadBody = z.looseObject({}).refine(() => false, FILE_MISSING);

/** Response of `POST /v2/browser/{id}/files`. */
export const fileUploadResponse = z.object({
  success: z.literal(true),
  name: z.string().describe('name of the file in the session, with a number if it was taken'),
  path: z.string().describe('where the browser and code find it'),
  size: z.int().describe('in bytes'),
});

/** The browser of a session and its tabs, as a host describes them to clients of the DevTools protocol. */
export const sessionTargets = z.object({
  version: z.object({
    product: z.string(),
    protocolVersion: z.string(),
    userAgent: z.string(),
    jsVersion: z.string(),
    /** Hosts of earlier releases do not have it. */
    revision: z.string().default(''),
  }),
  targets: z.array(z.object({ id: z.string(), type: z.string(), title: z.string(), url: z.string() })),
});
export type SessionTargets = z.output<typeof sessionTargets>;

const timeout = z
  .number()
  .min(1)
  .max(300)
  .default(30)
  .describe('time limit of the code, or of the prompt with all its steps, in seconds');
const code = z.string().min(1).max(MAX_CODE);

/** Body of `POST /v2/browser/{id}/execute`. */
export const executeBody = z.strictObject({
  code: code.describe('code with `page`, `context` and `browser`; in bash the program agent-browser'),
  language: z.enum(LANGUAGES).default('node'),
  timeout,
  ...callerFields,
});

const result = {
  stdout: z.string().describe('what the code printed; of a prompt its steps, one per line'),
  result: z
    .string()
    .describe(
      'value of the last expression as text, bytes as a `data:` URL; in bash the output; of a prompt the page at its end',
    ),
  stderr: z.string(),
  exitCode: z.int().describe('0 if the code succeeded, 137 if it was killed'),
  killed: z.boolean().describe('whether the code was killed because its time was over'),
  truncated: z.boolean().describe('whether a part of the output is missing'),
  error: z.string().optional().describe('why the code failed'),
};

/** Response of `POST /v2/browser/{id}/execute`; code that fails is a success of the request. */
export const executeResponse = z.object({ success: z.literal(true), ...result });

/** The result of code, as a host returns it. */
export const codeResult = z.object(result);
export type CodeResult = z.output<typeof codeResult>;

const output = z.string().describe('final response of the language model; only with a prompt');

/** The result of a prompt, as a host returns it. */
export const promptResult = codeResult.extend({ output });
export type PromptResult = z.output<typeof promptResult>;

/** Body of `POST /v2/scrape/{id}/interact`. */
export const interactBody = withKeywords(
  z
    .strictObject({
      code: code
        .optional()
        .describe('code with `page`, `context` and `browser`; in bash the program agent-browser'),
      prompt: z
        .string()
        .min(1)
        .max(MAX_PROMPT)
        .optional()
        .describe('task in natural language, which a language model does in the browser'),
      language: z.enum(LANGUAGES).default('node').describe('language of the code'),
      timeout,
      ...callerFields,
    })
    .refine(({ code: text, prompt }) => (text === undefined) !== (prompt === undefined), {
      error: 'exactly one of code and prompt is needed',
    }),
  exactlyOne('code', 'prompt'),
);

/**
 * Response of `POST /v2/scrape/{id}/interact`; `success` is false if the code failed or the prompt did not
 * end by itself.
 */
export const interactResponse = z.object({
  success: z.boolean(),
  sessionId: z.uuid(),
  ...urls,
  output: output.optional(),
  ...result,
});
